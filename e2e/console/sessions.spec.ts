import { type Browser, expect, type Page, test } from '@playwright/test'
import { newCustomer, PASSWORD } from '../admin.ts'
import { expectGood } from '../axe-checks.ts'
import { complaints, PHONE, pressEnter, signInByForm, waitForHydration } from '../browser.ts'

const EDGE =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0'
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1'
const LONG = 'Wilhelmina Montgomery-Featherstonehaugh of the Department of Extraordinarily Long Names'
const member = { ana: '', ida: '', long: '', admin: '' }

test.beforeAll(async () => {
  const customer = await newCustomer('sessions')
  member.ana = await customer.member('Ana Ruiz', 'it-manager')
  member.ida = await customer.member('Ida Tech', 'it-manager')
  member.long = await customer.member(LONG, 'finance-user')
  member.admin = await customer.member('Ad Min', 'admin')
})

async function elsewhere(browser: Browser, baseURL: string | undefined, email: string, userAgent = EDGE) {
  const page = await browser.newPage({ baseURL: baseURL ?? '', userAgent })
  await signInByForm(page, email)
  return page
}
const isOut = async (page: Page) => {
  await page.reload()
  return new URL(page.url()).pathname === '/sign-in'
}
const rowOf = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text })

test('members find their sessions in the menu, and end one by keyboard', async ({
  page,
  browser,
  baseURL,
}) => {
  const pageErrors = complaints(page)
  const there = await elsewhere(browser, baseURL, member.ana)
  await signInByForm(page, member.ana)
  await page.getByRole('button', { name: /Ana Ruiz/ }).click()
  await page.getByRole('link', { name: 'Sessions' }).click()
  await expect(page).toHaveURL(/\/sessions$/)
  await expect(page.getByRole('row')).toHaveCount(3)
  await expect(page.getByRole('row').nth(1)).toContainText('This device')
  await expect(rowOf(page, 'Microsoft Edge on Windows')).toContainText('127.0.0.1')
  await expect(page.getByText('All')).toHaveCount(0)
  await expectGood(page)
  await pressEnter(page.getByRole('button', { name: 'Sign out Microsoft Edge on Windows' }))
  await expect(page.getByText('Signed out: Microsoft Edge on Windows')).toBeVisible()
  await expect(page.getByRole('row')).toHaveCount(2)
  // The focus stays within the list.
  await page.keyboard.press('Tab')
  expect(await page.evaluate(() => document.activeElement === document.body)).toBe(false)
  await expect.poll(() => isOut(there)).toBe(true)
  await page.goto('/sessions?whose=all')
  await expect(page).toHaveURL(/\/sessions$/)
  await page.goto('/sessions?whose=hers')
  await expect(page.getByText('must be own or all')).toBeVisible()
  expect(pageErrors).toEqual([])
  await there.close()
})

test('Admins see and end the sessions of all members, also on a phone', async ({
  page,
  browser,
  baseURL,
}) => {
  const pageErrors = complaints(page)
  const [there, phone] = [
    await elsewhere(browser, baseURL, member.long),
    await elsewhere(browser, baseURL, member.ida, IPHONE),
  ]
  await signInByForm(page, member.admin, '/sessions')
  await expect(page.getByRole('row')).toHaveCount(2)
  await page.getByRole('button', { name: 'All' }).click()
  await expect(page).toHaveURL(/whose=all/)
  await expect(rowOf(page, LONG)).toBeVisible()
  await expectGood(page)
  await page.setViewportSize(PHONE)
  await expectGood(page)
  await page.getByRole('button', { name: `Sign out Microsoft Edge on Windows of ${LONG}` }).click()
  await expect(rowOf(page, LONG)).toHaveCount(0)
  await expect(rowOf(page, 'Ida Tech')).toContainText('Safari on iPhone')
  await expect.poll(() => isOut(there)).toBe(true)
  expect(await isOut(phone)).toBe(false)
  expect(pageErrors).toEqual([])
  await Promise.all([there.close(), phone.close()])
})

test("another sign-in ends the browser's previous session", async ({ page }) => {
  await signInByForm(page, member.ida)
  const before = await page.context().cookies()
  const session = before.find(({ name }) => name.endsWith('console-session'))
  const deviceCookie = before.find(({ name }) => name.endsWith('console-browser'))
  expect([deviceCookie?.httpOnly, deviceCookie?.sameSite]).toEqual([true, 'Lax'])
  const { csrfToken } = await (await page.request.get('/api/auth/csrf')).json()
  const form = { email: member.ida, password: PASSWORD, csrfToken, json: 'true' }
  expect((await page.request.post('/api/auth/callback/credentials', { form })).status()).toBe(200)
  const after = await page.context().cookies()
  expect(after.find(({ name }) => name === deviceCookie?.name)?.value).toBe(deviceCookie?.value)
  const validate = (value: string | undefined) =>
    fetch(new URL('/billing/v1/sessions', page.url()), {
      headers: { cookie: `${session?.name}=${value}` },
    }).then(({ status }) => status)
  expect(await validate(session?.value)).toBe(401)
  expect(await validate(after.find(({ name }) => name === session?.name)?.value)).toBe(200)
})

test('the content disappears from the screen when its session expires', async ({ page, context }) => {
  const pageErrors = complaints(page)
  await page.clock.install()
  await signInByForm(page, member.ida, '/assets')
  await expect(page.getByRole('heading', { name: 'Assets', level: 1 })).toBeVisible()
  await waitForHydration(page)
  // The page gets no input; the session lives, because it was used in another window. React starts the timer in a task
  // after hydration: fast-forward again until it has run.
  await expect(async () => {
    const validation = page.waitForResponse(/\/auth\/v1\/validate$/, { timeout: 5000 })
    await page.clock.fastForward('30:10')
    expect((await validation).status()).toBe(200)
  }).toPass()
  await expect(page.getByRole('heading', { name: 'Assets', level: 1 })).toBeVisible()
  await context.clearCookies()
  await page.clock.fastForward('29:00')
  await page.keyboard.press('Shift')
  await page.clock.fastForward('29:00')
  await expect(page).toHaveURL(/\/assets$/)
  await page.clock.fastForward('01:10')
  await expect(page).toHaveURL(/\/sign-in\?from=%2Fassets$/)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sign in')
  expect(pageErrors.filter((text) => !text.includes('401'))).toEqual([])
})
