import { expect, type Page } from '@playwright/test'
import { Secret, TOTP } from 'otpauth'
import { newCustomer } from '../admin.ts'
import { expectGood } from '../axe-checks.ts'
import { complaints, PHONE, press, pressEnter, signInByForm } from '../browser.ts'
import { test } from '../reused-page.ts'

let alder: Awaited<ReturnType<typeof newCustomer>>
test.beforeAll(async () => {
  alder = await newCustomer('factors')
})

/** Returns the code of an app some time steps from now, because a used code is not accepted again. */
const codeOf = (secret: string, steps = 0) =>
  new TOTP({ secret: Secret.fromBase32(secret.replaceAll(' ', '')) }).generate({
    timestamp: Date.now() + steps * 30_000,
  })
const displayedSecret = async (page: Page) =>
  (await page.getByText(/^([A-Z2-7]{4} ){7}[A-Z2-7]{4}$/).textContent()) ?? ''
const typeCode = async (page: Page, code: string, label = 'Code') => {
  await page.getByLabel(label, { exact: true }).fill('')
  await page.getByLabel(label, { exact: true }).focus()
  await page.keyboard.type(code)
  await page.keyboard.press('Enter')
}
/** Submits only the password. */
async function password(page: Page, email: string, path = '/assets') {
  await page.context().clearCookies()
  await signInByForm(page, email, path)
}

test('an app is set up by keyboard on a phone, and required from then on', async ({ page }) => {
  const pageErrors = complaints(page)
  await page.setViewportSize(PHONE)
  const email = await alder.member('Tot Per', 'it-manager')
  await password(page, email, '/second-factor')
  await expect(page.getByText('Passkeys aren’t available here: they need a domain name')).toBeVisible()
  await expectGood(page)
  await press(page, 'Set up an app')
  const dialog = page.getByRole('dialog', { name: 'Set up an app' })
  await expect(dialog.getByRole('img', { name: 'QR code for your authenticator app' })).toBeVisible()
  await expectGood(page)
  // Black on white in the dark theme, too, as cameras expect.
  await expect(dialog.locator('svg[role=img] > rect')).toHaveCSS('fill', 'rgb(255, 255, 255)')
  const secret = await displayedSecret(page)
  await typeCode(page, '000000')
  await expect(dialog.getByText('This is not the code that the app shows now.')).toBeVisible()
  await typeCode(page, codeOf(secret))
  await expect(dialog).toHaveCount(0)
  await expect(page.getByRole('listitem').filter({ hasText: 'Authenticator app' })).toBeVisible()
  await press(page, 'Create recovery codes')
  await expect(page.getByText('You won’t see them again.')).toBeVisible()
  const codes = await page.getByText(/^([A-Z2-7]{4}-){3}[A-Z2-7]{4}$/).allTextContents()
  expect(codes).toHaveLength(10)
  await expectGood(page)

  await password(page, email)
  await expect(page).toHaveURL(/\/sign-in\/factor\?from=/)
  await expectGood(page)
  for (const path of ['/auth/v1/validate', '/auth/v1/second-factors', '/billing/v1/assets'])
    expect((await page.request.get(path)).status()).toBe(401)
  await typeCode(page, '000000')
  await expect(
    page.getByRole('alert').filter({ hasText: 'This code is wrong, or was used before.' }),
  ).toBeVisible()
  await expectGood(page)
  await typeCode(page, codeOf(secret, 1))
  await expect(page).toHaveURL(/\/assets$/)

  await password(page, email)
  await press(page, 'Use a recovery code')
  await expectGood(page)
  await typeCode(page, codes[0] ?? '', 'Recovery code')
  await expect(page).toHaveURL(/\/assets$/)
  await page.goto('/second-factor')
  await expect(page.getByText('9 of 10 left.')).toBeVisible()
  await press(page, 'Remove Authenticator app')
  await expectGood(page)
  await pressEnter(page.getByRole('dialog').getByRole('button', { name: 'Remove' }))
  await expect(page.getByText('Not set up. Your account is protected')).toBeVisible()
  await password(page, email)
  await expect(page).toHaveURL(/\/assets$/)
  expect(pageErrors).toEqual([])
})

test('an Admin requires a second factor, and resets that of a member who has lost it', async ({
  page,
  browser,
  baseURL,
}) => {
  const pageErrors = complaints(page)
  await page.setViewportSize(PHONE)
  const customer = await newCustomer('demands')
  const [admin, email] = [
    await customer.member('Ada Min', 'admin'),
    await customer.member('Los Ter', 'it-manager'),
  ]
  await password(page, admin, '/members')
  await page.getByRole('switch', { name: 'Require two-step verification' }).focus()
  await page.keyboard.press('Space')
  await expect(page.getByText('Members without it set it up at their next sign-in.')).toBeVisible()
  await expectGood(page)

  const there = await browser.newPage({ baseURL: baseURL ?? '', viewport: PHONE })
  await password(there, email)
  await expect(there).toHaveURL(/\/sign-in\/set-up/)
  await expect(there.getByText('demands Ltd requires it in addition to your password.')).toBeVisible()
  await expectGood(there)
  expect((await there.request.get('/auth/v1/validate')).status()).toBe(401)
  const secret = await displayedSecret(there)
  await typeCode(there, '000000')
  await expect(there.getByRole('alert').filter({ hasText: 'This code is wrong' })).toBeVisible()
  await typeCode(there, codeOf(secret))
  await expect(there).toHaveURL(/\/second-factor$/)
  await press(there, 'Remove Authenticator app')
  await there.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await expect(
    there.getByText('Two-step verification is required here: add another method first.'),
  ).toBeVisible()

  await page.reload()
  await page.getByRole('button', { name: 'Change Los Ter' }).click()
  await press(page, 'Reset two-step verification')
  await expectGood(page)
  await press(page, 'Reset two-step verification')
  await expect(page.getByText('Two-step verification reset: Los Ter')).toBeVisible()
  await there.goto('/assets')
  await expect(there).toHaveURL(/\/sign-in\?/)
  await password(there, email)
  await expect(there).toHaveURL(/\/sign-in\/set-up/)
  await there.close()
  await page.goto('/activity/events')
  await expect(
    page.getByRole('row').filter({ hasText: 'Ada Min reset a member’s two-step verification' }),
  ).toBeVisible()
  expect(pageErrors).toEqual([])
})
