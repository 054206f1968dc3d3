import { expect, type Page } from '@playwright/test'
import { newCustomer, PASSWORD } from '../admin.ts'
import { expectGood } from '../axe-checks.ts'
import { complaints, openMenu, PHONE, pressEnter, signInByForm, typeTwice } from '../browser.ts'
import { test } from '../reused-page.ts'

type Customer = Awaited<ReturnType<typeof newCustomer>>
const NEW = 'a new horse battery'
let [alder, birch] = [] as unknown as [Customer, Customer]

test.beforeAll(async () => {
  alder = await newCustomer('alder')
  birch = await newCustomer('birch')
})

const menu = (page: Page, name: RegExp) => page.getByRole('button', { name })

test('an invitation is accepted by keyboard on a phone, once, and its link is not leaked as a referrer', async ({
  page,
}) => {
  const pageErrors = complaints(page)
  await page.setViewportSize(PHONE)
  const link = await alder.invite(`ida@${alder.domain}`, 'Ida Tech', 'it-manager')
  const response = await page.goto(link)
  expect(response?.headers()).toMatchObject({
    'referrer-policy': 'no-referrer',
    'cache-control': expect.stringContaining('no-store'),
  })
  await expect(page.getByText('To the licenses and invoices of alder Ltd')).toBeVisible()
  await expectGood(page)
  // A mail scanner opens the link too, which must not redeem it.
  await page.reload()
  await typeTwice(page, 'password1234')
  await expect(page.getByRole('alert').filter({ hasText: 'most common' })).toBeVisible()
  await expect(page.getByLabel('New password', { exact: true })).toBeFocused()
  await expectGood(page)
  for (const label of ['New password', 'New password, again'])
    await page.getByLabel(label, { exact: true }).fill('')
  await typeTwice(page, NEW)
  await expect(page).toHaveURL(/\/$/)
  await page.goto(link)
  await expect(page.getByRole('heading', { name: 'This link was used' })).toBeVisible()
  await expectGood(page)
  await page.goto(`${link}x`)
  await expect(page.getByRole('heading', { name: 'This link is not valid' })).toBeVisible()
  expect(pageErrors).toEqual([])
})

/** Accepts an invitation, and leaves. Equal passwords are known by equal hashes, and an operator's are cheaper. */
async function joinAlder(page: Page, name: string): Promise<string> {
  const email = `${name.toLowerCase().replace(' ', '.')}@${alder.domain}`
  await page.goto(await alder.invite(email, name, 'it-manager'))
  await typeTwice(page, PASSWORD)
  await expect(page).toHaveURL(/\/$/)
  await page.context().clearCookies()
  return email
}

test('a member of one customer accepts another membership, picks a customer and switches', async ({
  page,
}) => {
  const pageErrors = complaints(page)
  await page.setViewportSize(PHONE)
  const email = await joinAlder(page, 'Both Sides')
  await page.goto(await birch.invite(email, 'Both Sides', 'finance-user'))
  await pressEnter(page.getByRole('button', { name: 'I have a password here already' }))
  await page.getByLabel('Your password', { exact: true }).focus()
  // A link that an Admin has seen does not reveal the credentials of another membership: that password does not work
  // here.
  for (const password of ['not my password', PASSWORD]) {
    await page.getByLabel('Your password', { exact: true }).fill(password)
    await page.keyboard.press('Enter')
    await expect(
      page.getByRole('alert').filter({ hasText: 'is not the one that you have here' }),
    ).toBeVisible()
    await expectGood(page)
  }
  await page.reload()
  await typeTwice(page, PASSWORD)
  // The same password opens both memberships now.
  await expect(page).toHaveURL(/\/sign-in\/customer$/)
  await expect(page.getByRole('listitem')).toHaveText([/alder Ltd/, /birch Ltd/])
  await expectGood(page)
  await pressEnter(page.getByRole('button', { name: 'birch Ltd' }))
  await expect(page).toHaveURL(/\/$/)

  await openMenu(page)
  await pressEnter(page.getByRole('link', { name: 'Change customer' }))
  await expect(page).toHaveURL(/\/sign-in\/customer$/)
  await expect(page.getByRole('link', { name: /birch Ltd.*you are here/ })).toBeVisible()
  await expectGood(page)
  const before = (await page.context().cookies()).find(({ name }) => name === 'console-session')
  await pressEnter(page.getByRole('button', { name: 'alder Ltd' }))
  await expect(page).toHaveURL(/\/$/)
  // The previous session has ended.
  const cookie = `console-session=${before?.value}`
  const former = await page.request.fetch('/auth/v1/validate', { headers: { cookie } })
  expect(former.status()).toBe(401)
  expect(pageErrors).toEqual([])
})

test('a sign-in continues after the pick to the requested page, and answers nothing before it', async ({
  page,
}) => {
  const email = await joinAlder(page, 'Two Places')
  await page.goto(await birch.invite(email, 'Two Places', 'it-manager'))
  await typeTwice(page, PASSWORD)
  await expect(page).toHaveURL(/\/sign-in\/customer$/)
  await page.context().clearCookies()
  await signInByForm(page, email, '/assets?filter=type:office-suite')
  await expect(page).toHaveURL(/\/sign-in\/customer\?from=/)
  expect((await page.request.get('/auth/v1/validate')).status()).toBe(401)
  await page.getByRole('button', { name: 'alder Ltd' }).click()
  await expect(page).toHaveURL(/\/assets\?filter=type(:|%3A)office-suite$/)
  // Another site can't pick a customer for the member (CSRF).
  const { csrfToken } = await (await page.request.get('/api/auth/csrf')).json()
  const form = { customer: birch.id, csrfToken, json: 'true' }
  const headers = { 'sec-fetch-site': 'cross-site' }
  expect((await page.request.post('/api/auth/callback/credentials', { form, headers })).status()).toBe(401)
})

test('a member of one customer is not asked to pick one, and has none to switch to', async ({ page }) => {
  await signInByForm(page, await alder.member('One Place', 'it-manager'))
  await expect(page).toHaveURL(/\/$/)
  await menu(page, /One Place/).click()
  await expect(page.getByRole('link', { name: 'Sessions' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Change customer' })).toHaveCount(0)
  await page.goto('/sign-in/customer')
  await expect(page).toHaveURL(/\/$/)
})

test('a link sets a new password, and ends the session of the former one', async ({
  page,
  browser,
  baseURL,
}) => {
  const email = await alder.member('Re Set', 'it-manager')
  const there = await browser.newPage({ baseURL: baseURL ?? '' })
  await signInByForm(there, email)
  await page.setViewportSize(PHONE)
  await page.goto(await alder.reset(email))
  await expect(page.getByText(`For ${email} at alder Ltd`)).toBeVisible()
  await expectGood(page)
  await typeTwice(page, NEW)
  await expect(page).toHaveURL(/\/$/)
  await there.reload()
  await expect(there).toHaveURL(/\/sign-in/)
  await there.close()
})

test('the sign-in page names a contact without a mail server', async ({ page }) => {
  const pageErrors = complaints(page)
  await page.setViewportSize(PHONE)
  await page.goto('/sign-in')
  await expectGood(page)
  await pressEnter(page.getByRole('link', { name: 'Forgot password?' }))
  await expect(page.getByText('Ask an Admin of your company for a link')).toBeVisible()
  await expectGood(page)
  expect(pageErrors).toEqual([])
})
