import { expect, type Page } from '@playwright/test'
import { type FakeIssuer, startIssuer } from '../../test/fakes/issuers/provider.ts'
import { newCustomer, PASSWORD } from '../admin.ts'
import { expectGood } from '../axe-checks.ts'
import { complaints, openMenu, PHONE, pressEnter } from '../browser.ts'
import { operate } from '../isolated-app.ts'
import { test } from '../reused-page.ts'
import { appEnvironment, testPorts } from '../server.ts'

let issuer: FakeIssuer
let isClosed = false
const url = process.env.E2E_BASE_URL ?? ''

test.beforeAll(async () => {
  issuer = await startIssuer(testPorts().issuer)
})
test.afterAll(async () => {
  if (!isClosed) await issuer.close()
})

async function operated(command: string, input = '') {
  const { code, err } = await operate(appEnvironment(), command.split(' '), input)
  expect([code, err]).toEqual([0, expect.any(String)])
}

async function customerWithSignOn(name: string) {
  const customer = await newCustomer(name)
  const customerOption = `--customer ${customer.id}`
  const client = `--issuer ${issuer.issuer} --client-id ${issuer.clientId} --secret-file -`
  await operated(`sign-on set ${customerOption} ${client} --join it-manager`, issuer.clientSecret)
  await operated(`sign-on domains add ${customer.domain} ${customerOption}`)
  await operated(`sign-on domains confirm ${customer.domain} ${customerOption}`)
  return customer
}

async function useSignOn(page: Page, email: string, path = '/') {
  await page.goto(`${url}/sign-in?from=${encodeURIComponent(path)}`)
  await expect(page.getByRole('button', { name: 'Use single sign-on' })).toBeEnabled()
  await page.getByLabel('Work email').fill(email)
  await pressEnter(page.getByRole('button', { name: 'Use single sign-on' }))
}

test("a first sign-in creates a member, whose sign-out also ends the issuer's session", async ({ page }) => {
  const pageErrors = complaints(page)
  const { domain, id } = await customerWithSignOn('alder')
  const email = `ida@${domain}`
  issuer.accounts.set(email, { sub: 'ida', email, name: 'Ida Tech' })
  await page.setViewportSize(PHONE)
  await page.goto(`${url}/sign-in`)
  await expect(page.getByRole('button', { name: 'Use single sign-on' })).toBeEnabled()
  await expectGood(page)
  await useSignOn(page, email, '/assets?filter=type:office-suite')
  await expect(page).toHaveURL(/\/assets\?filter=type(:|%3A)office-suite$/)
  await openMenu(page)
  await expect(page.getByText(email)).toBeVisible()
  await expect(page.getByRole('button', { name: 'Sign out' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Change password' })).toHaveCount(0)
  await page.getByRole('button', { name: 'Sign out' }).click()
  // The issuer asks whether to end its own session; ours has ended.
  await page.waitForURL((at) => at.href.startsWith(issuer.issuer))
  await page.getByRole('button', { name: /yes/i }).click()
  await expect(page).toHaveURL(`${url}/sign-in`)
  await page.goto(`${url}/assets`)
  await expect(page).toHaveURL(/\/sign-in/)
  expect(pageErrors).toEqual([])

  // Neither users without single sign-on, nor with an unverified email address.
  await useSignOn(page, 'somebody@elsewhere.example')
  await expect(
    page.getByRole('alert').filter({ hasText: 'no single sign-on for this address' }),
  ).toBeVisible()
  const unverified = `una@${domain}`
  issuer.accounts.set(unverified, { sub: 'una', email: unverified, email_verified: false })
  await page.context().clearCookies()
  await useSignOn(page, unverified)
  await expect(page.getByRole('alert').filter({ hasText: 'didn’t confirm' })).toBeVisible()
  await expectGood(page)
  await operated(`sign-on off --customer ${id}`)
})

test('a member with an old single sign-on confirms it there, and the action completes', async ({ page }) => {
  const customer = await customerWithSignOn('elm')
  const email = `eli@${customer.domain}`
  issuer.accounts.set(email, { sub: 'eli', email, name: 'Eli Elm' })
  await page.setViewportSize(PHONE)
  await useSignOn(page, email, '/keys')
  await expect(page).toHaveURL(`${url}/keys`)
  await customer.ageSignIns()
  const issue = async () => {
    await page.getByRole('button', { name: 'Create key' }).click()
    const panel = page.getByRole('dialog', { name: 'Create key' })
    await panel.getByLabel('Name').fill('ERP')
    await panel.getByRole('button', { name: 'Create key' }).click()
  }
  await issue()
  const confirm = page.getByRole('dialog', { name: 'Confirm it’s you' })
  await expect(confirm).toBeVisible()
  await expectGood(page)
  // Eli has no password, so no dialog asks for one.
  await expect(confirm.getByLabel('Password')).toHaveCount(0)
  await confirm.getByRole('button', { name: 'Confirm by single sign-on' }).focus()
  const loaded = page.waitForEvent('load')
  await page.keyboard.press('Enter')
  await loaded
  await expect(page).toHaveURL(`${url}/keys`)
  await expect(confirm).toHaveCount(0)
  await issue()
  await expect(page.getByRole('dialog', { name: 'Key created' })).toBeVisible()
})

test('passwords and links are refused with only single sign-on; a dead issuer blocks no others', async ({
  page,
}) => {
  const customer = await customerWithSignOn('birch')
  const admin = await customer.member('Boss Lady', 'admin')
  issuer.accounts.set(admin, { sub: 'boss', email: admin })
  const link = await customer.reset(admin)
  await useSignOn(page, admin)
  await expect(page).toHaveURL(`${url}/`)
  await operated(`sign-on require --customer ${customer.id}`)
  // The session opened by the issuer stays valid.
  await page.reload()
  await expect(page).toHaveURL(`${url}/`)
  await page.context().clearCookies()

  await page.goto(`${url}/sign-in`)
  await page.getByLabel('Work email').fill(admin)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page.getByRole('alert').filter({ hasText: 'Wrong email address or password' })).toBeVisible()
  await page.goto(url + link)
  await expect(page.getByRole('heading', { name: 'Your company uses single sign-on' })).toBeVisible()
  await expectGood(page)

  const other = await newCustomer('cedar')
  const byPassword = await other.member('Pass Word', 'it-manager')
  await issuer.close()
  isClosed = true
  await page.setViewportSize(PHONE)
  // The configuration of this issuer has not been read yet.
  const client = '--client-id console --secret-file - --issuer'
  await operated(`sign-on set --customer ${other.id} ${client} ${issuer.issuer}/gone`, 'secret')
  await operated(`sign-on domains add ${other.domain} --customer ${other.id}`)
  await operated(`sign-on domains confirm ${other.domain} --customer ${other.id}`)
  await useSignOn(page, byPassword)
  await expect(page.getByRole('alert').filter({ hasText: 'gives no answer' })).toBeVisible()
  await expectGood(page)
  await page.getByLabel('Work email').fill(byPassword)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page).toHaveURL(`${url}/`)
})
