import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, type BrowserContext, expect, type Page, test } from '@playwright/test'
import { type FakeGoogle, startGoogle } from '../../test/fakes/google/fake.ts'
import { asset, newCustomer, PASSWORD } from '../admin.ts'
import { expectGood } from '../axe-checks.ts'
import { complaints, PHONE, press, signIn } from '../browser.ts'
import { freePort } from '../free-port.ts'
import { isolatedEnvironment, postmaster, startIsolatedApp } from '../isolated-app.ts'

// An app of its own, from its start to its end, with a fake Google behind it whose failures are programmed; and under a
// name, which passkeys need.

const TIMES = {
  VENDOR_WRITE_MS: '1500',
  VENDOR_CONFIRM_MS: '500',
  VENDOR_CHECK_MS: '1000',
  VENDOR_STALE_MS: '500',
  VENDOR_PAUSE_MS: '1000',
  // Longer than a busy machine takes for the steps of a test during an open change.
  GOOGLE_SETTLE_SECONDS: '25',
}
const LONG =
  'Enterprise Plus for Regulated Research with Extended Data Residency and Assured Support (Nonprofit)'
const data = mkdtempSync(join(tmpdir(), 'licenses-invoices-own-'))
const member = { ana: '', ida: '' }
const contexts: BrowserContext[] = []
let google: FakeGoogle
/** Google finishes its delayed calls once this is resolved. */
let delayed = Promise.withResolvers<void>()
let env: NodeJS.ProcessEnv
let app: Awaited<ReturnType<typeof startIsolatedApp>>
/** Address with the name. */
let url = ''

test.describe.configure({ mode: 'serial' })

test.beforeAll(async () => {
  google = await startGoogle({ delayUntil: () => delayed.promise })
  const port = String(await freePort())
  url = `http://localhost:${port}`
  env = isolatedEnvironment(data, { ...google.environment(data), ...TIMES, PORT: port, BASE_URL: url })
  app = await startIsolatedApp(env)
  const customer = await newCustomer('vendors', env)
  const plan = { purchased: 240, assigned: 182 }
  const atGoogle = (number: number, name: string, terms: typeof plan & { commitmentEnd?: string } = plan) => {
    const id = `workspace-suite-${number}`
    // A year before the commitment ends: Google is read when the import is done, with the same date.
    const annual = { plan: 'ANNUAL_MONTHLY_PAY', createdAt: Date.UTC(2098, 2, 1) }
    const commitment = 'commitmentEnd' in terms ? annual : { plan: 'FLEXIBLE' }
    google.add({
      id: `S-${id}`,
      customerId: 'C01',
      skuId: `SKU-${id}`,
      assigned: terms.assigned,
      total: terms.purchased,
      ...commitment,
    })
    const item = asset(id, name, terms)
    return { ...item, vendor: 'google-workspace', subscription: { ...item.subscription, skuId: `SKU-${id}` } }
  }
  await customer.importAssets([
    atGoogle(1, 'Business Plus'),
    atGoogle(2, LONG),
    atGoogle(3, 'Frontline Starter'),
    atGoogle(4, 'Vault'),
    // Not changed before: a recent confirmation outranks the vendor's console.
    atGoogle(6, 'Chat'),
    atGoogle(5, 'Enterprise', { ...plan, commitmentEnd: '2099-03-01T00:00:00Z' }),
  ])
  member.ana = await customer.member('Ana Ruiz', 'it-manager')
  member.ida = await customer.member('Ida Tech', 'it-manager')
})

test.beforeEach(() => {
  delayed = Promise.withResolvers()
})
test.afterEach(async () => {
  delayed.resolve()
  for (const context of contexts.splice(0)) await context.close()
})

test.afterAll(async () => {
  app?.kill('SIGTERM')
  await app?.ended
  await google?.close()
  rmSync(data, { recursive: true, force: true })
})

/** Opens a separate browser, until the test's end. */
async function open(browser: Browser, email: string, path = '/assets'): Promise<Page> {
  const context = await browser.newContext({ baseURL: url, viewport: { width: 1360, height: 900 } })
  contexts.push(context)
  const page = await context.newPage()
  await signIn(page, email, path)
  return page
}

const fault = (number: number, how: { read?: string; write?: string } | undefined) =>
  google.setFault(`S-workspace-suite-${number}`, how)
const control = (page: Page, name: string) =>
  page.getByRole('spinbutton', { name: `Licenses of ${name}`, exact: true })
const row = (page: Page, name: string) => page.getByRole('row').filter({ has: control(page, name) })
const toast = (page: Page, text: string | RegExp) => page.getByRole('status').getByText(text)
const changes = (page: Page) =>
  page
    .getByRole('table', { name: /^Changes of licenses/ })
    .locator('tbody')
    .getByRole('row')

async function set(page: Page, name: string, quantity: number): Promise<void> {
  await control(page, name).fill(String(quantity))
  await page.getByRole('button', { name: `Set to ${quantity} licenses` }).click()
}

test('a start prints its address first, and nothing of Next', () => {
  const lines = app.output().trim().split('\n')
  expect(lines[0]).toMatch(/^Listening on http/)
  expect(lines.slice(1).filter((line) => !line.startsWith('{'))).toEqual([])
})

test('a change with a lost answer is confirmed here, after a reload and in another browser', async ({
  browser,
}) => {
  fault(1, { write: 'late' })
  const ana = await open(browser, member.ana)
  const pageErrors = complaints(ana)
  const ida = await open(browser, member.ida)
  // Typed before the other change is known.
  await control(ida, 'Business Plus').fill('260')
  await set(ana, 'Business Plus', 250)
  await expect(row(ana, 'Business Plus')).toContainText('Confirming with the vendor…')
  await expect(row(ana, 'Business Plus')).toContainText('240 → 250')
  await expect(control(ana, 'Business Plus')).toBeDisabled()
  await expect(control(ana, 'Business Plus')).toHaveValue('240')
  await expect(control(ana, 'Business Plus')).toHaveAccessibleDescription(
    'Confirming with the vendor… 240 → 250, Ana Ruiz',
  )
  await ana.reload()
  await expect(control(ana, 'Business Plus')).toBeDisabled()
  await expect(row(ana, 'Business Plus')).toContainText('240 → 250, Ana Ruiz')
  await ida.getByRole('button', { name: 'Set to 260 licenses' }).click()
  await expect(ida.getByRole('table').getByRole('alert')).toContainText('Ana Ruiz asked for 250 licenses')
  await expect(control(ida, 'Business Plus')).toBeDisabled()
  await expect(control(ida, 'Business Plus')).toHaveValue('260')
  await expect(row(ida, 'Business Plus')).toContainText('Confirming with the vendor…')

  delayed.resolve()
  await expect(toast(ana, 'Business Plus: 240 → 250 licenses')).toBeVisible()
  await expect(control(ana, 'Business Plus')).toBeEnabled()
  await expect(control(ana, 'Business Plus')).toHaveValue('250')
  await expect(toast(ida, 'Business Plus: 240 → 250 licenses')).toBeVisible()
  // The typed number is kept, but has another meaning by now.
  await expect(control(ida, 'Business Plus')).toHaveValue('260')
  await ida.getByRole('button', { name: 'Try again' }).click()
  await expect(ida.getByText('Ana Ruiz set this to 250 licenses')).toBeVisible()
  await expect(ida.getByText('Your 260 now means +10, not +20.')).toBeVisible()
  expect(google.subscription('S-workspace-suite-1')?.total).toBe(250)
  expect(pageErrors).toEqual([])
})

test('a change that the vendor never made is confirming until that is known, then not applied', {
  tag: '@deep',
}, async ({ browser }) => {
  fault(2, { write: 'drop-before' })
  const page = await open(browser, member.ana)
  const pageErrors = complaints(page)
  const one = await open(browser, member.ida, '/assets/workspace-suite-2')
  await control(page, LONG).fill('300')
  await set(one, LONG, 245)
  await expect(one.getByText('Confirming with the vendor…')).toBeVisible()
  await expect(changes(one).first()).toContainText('Confirming')
  fault(2, { read: 'drop-before' })
  // A change of another row reads the list again: the typed total is kept, and can't be sent now.
  await set(page, 'Vault', 241)
  await expect(toast(page, 'Vault: 240 → 241 licenses')).toBeVisible()
  await expect(row(page, LONG)).toContainText('240 → 245, Ida Tech')
  await expect(control(page, LONG)).toHaveValue('300')
  await expect(page.getByText('Ida Tech asked for 245 licenses')).toBeVisible()
  await expect(page.getByText('Your 300 is kept')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Set to 300 licenses' })).toHaveCount(0)
  for (const viewer of [page, one]) {
    await expectGood(viewer)
    await viewer.setViewportSize(PHONE)
    await expectGood(viewer)
    await viewer.setViewportSize({ width: 800, height: 900 })
    expect(
      await viewer.evaluate(() => document.documentElement.scrollWidth - innerWidth),
    ).toBeLessThanOrEqual(0)
  }
  fault(2, undefined)
  await expect(toast(one, /^Not changed: Enterprise Plus .* stays at 240 licenses\./)).toBeVisible()
  await expect(changes(one).first()).toContainText(/Ida Tech.*240 → 245.*Not applied/)
  await expect(control(one, LONG)).toBeEnabled()
  await expect(control(one, LONG)).toHaveValue('240')
  await expect(page.getByRole('button', { name: 'Set to 300 licenses' })).toBeVisible()
  await expect(page.getByText('Confirming with the vendor…')).toHaveCount(0)
  expect(pageErrors).toEqual([])
})

test('the focus stays at the changed control until the outcome is known', async ({ browser }) => {
  fault(3, { write: 'late' })
  const page = await open(browser, member.ana)
  await control(page, 'Frontline Starter').fill('242')
  await expect(page.getByRole('button', { name: 'Set to 242 licenses' })).toBeVisible()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Enter')
  const confirming = page.getByRole('status').filter({ hasText: 'Confirming with the vendor…' })
  await expect(row(page, 'Frontline Starter').locator(confirming)).toBeFocused()
  delayed.resolve()
  await expect(toast(page, 'Frontline Starter: 240 → 242 licenses')).toBeVisible()
  await expect(control(page, 'Frontline Starter')).toBeFocused()
})

test('a vendor that is down is named, with the time to try again; the number is kept', async ({
  browser,
}) => {
  const page = await open(browser, member.ana)
  google.setDown(true)
  await set(page, 'Vault', 250)
  const alert = page.getByRole('alert').filter({ hasText: 'Not changed to 250 licenses' })
  await expect(alert).toContainText('Google Workspace cannot be reached for the moment. Nothing was changed.')
  await expect(alert).toContainText(/Try again in \d+ seconds?\./)
  await expect(control(page, 'Vault')).toHaveValue('250')
  google.setDown(false)
  await expect(async () => {
    await page.getByRole('button', { name: 'Try again' }).click({ timeout: 1000 })
    // 241 where the deep run has changed it before.
    await expect(toast(page, /^Vault: 24[01] → 250 licenses/)).toBeVisible({ timeout: 3000 })
  }).toPass()
})

test('a change at the vendor is shown as a conflict, in Activity, and on the asset’s page', async ({
  browser,
}) => {
  const page = await open(browser, member.ana)
  await control(page, 'Chat').fill('260')
  google.setByVendor('S-workspace-suite-6', 255)
  await page.getByRole('button', { name: 'Set to 260 licenses' }).click()
  await expect(page.getByText('Google Workspace set this to 255 licenses just now')).toBeVisible()
  await page.getByRole('button', { name: 'Keep 255' }).click()
  await page.goto('/activity')
  await page.getByRole('button', { name: /^Outcome/ }).click()
  await page.getByRole('checkbox', { name: 'Changed at the vendor' }).check()
  await expect(page).toHaveURL('/activity?filter=state:DRIFT')
  await expect(changes(page)).toHaveCount(1)
  await expect(changes(page).first()).toContainText(
    /Chat.*Google Workspace \(vendor\).*240 → 255.*Changed at the vendor/,
  )
  await page.getByRole('checkbox', { name: 'Open', exact: true }).check()
  await expect(page).toHaveURL('/activity?filter=state:DRIFT|CLAIMED|SENT|UNKNOWN')
  await page.getByRole('checkbox', { name: 'Changed at the vendor' }).uncheck()
  await expect(page.getByText('Nothing matches')).toBeVisible()
  await page.goto('/assets/workspace-suite-6')
  await expect(
    page.getByText(/^Read from Google Workspace (just now|a minute ago) \(\d+ \w+ \d{4}, \d\d:\d\d UTC\)\.$/),
  ).toBeVisible()
  await expect(page.getByLabel('Facts')).toContainText('VendorGoogle Workspace')
  await expectGood(page)
})

test('the total of a Google flexible plan is a cap, not a bill; that of a commitment is bought', async ({
  browser,
}) => {
  const page = await open(browser, member.ida)
  await control(page, 'Vault').fill('300')
  await expect(
    page.getByText('This is a cap, not a bill: what is in use is billed, up to 300 licenses.'),
  ).toBeVisible()
  await control(page, 'Enterprise').fill('241')
  await expect(page.getByText('can’t be lowered before 1 Mar 2099.')).toBeVisible()
  await expect(page.getByText('This is a cap, not a bill')).toHaveCount(1)
})

test('a list of totals looks up late rows, reports a vendor that is down, and sends the others', async ({
  browser,
}) => {
  const page = await open(browser, member.ida, '/assets/bulk')
  const line = (number: number) => page.getByRole('row').filter({ hasText: `workspace-suite-${number} ·` })
  fault(1, { write: 'late' })
  fault(2, { read: 'drop-before' })
  fault(3, undefined)
  const total = google.subscription('S-workspace-suite-4')?.total ?? 0
  google.setByVendor('S-workspace-suite-4', total + 5)
  const totals = [
    [1, 290],
    [2, 290],
    [3, 290],
    [4, total + 6],
  ]
  await page
    .getByRole('textbox', { name: /asset ID, new total/ })
    .fill(totals.map(([number, total]) => `workspace-suite-${number}\t${total}`).join('\n'))
  await page.getByRole('button', { name: 'Check the list' }).click()
  // The vendor's own change is found by the check, and the difference counts from its total.
  await expect(line(4)).toContainText(`${total + 5} → ${total + 6}+1Allowed`)
  await expect(line(2)).toContainText('Google Workspace cannot be reached for the moment.')
  await page.getByRole('button', { name: 'Set 3 assets' }).click()
  await expect(line(1)).toContainText('Not confirmed yet')
  await expect(line(3)).toContainText('Done')
  await expect(line(4)).toContainText('Done')
  delayed.resolve()
  await expect(line(1)).toContainText('Done')
  fault(2, undefined)
  expect(totals.map(([number]) => google.subscription(`S-workspace-suite-${number}`)?.total)).toEqual([
    290,
    240,
    290,
    total + 6,
  ])
})

test('a passkey signs in with or without a password, and is removed', async ({ page }) => {
  const pageErrors = complaints(page)
  const customer = await newCustomer('cedar', env)
  const email = await customer.member('Pas Key', 'it-manager')
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  await page.setViewportSize(PHONE)
  await signInAt(page, url, email)
  await page.goto(`${url}/second-factor`)
  await press(page, 'Add a passkey')
  await expectGood(page)
  await page.getByLabel('Name').fill('Work phone')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('listitem').filter({ hasText: 'Work phone' })).toBeVisible()
  await expectGood(page)

  await page.context().clearCookies()
  await page.goto(`${url}/sign-in`)
  await expectGood(page)
  await press(page, 'Use a passkey instead')
  await expect(page).toHaveURL(`${url}/`)

  await page.context().clearCookies()
  await signInAt(page, url, email)
  await expect(page).toHaveURL(/\/sign-in\/factor/)
  await expectGood(page)
  await press(page, 'Use a passkey')
  await expect(page).toHaveURL(`${url}/`)

  // The device refuses: the page shows an error, and is otherwise unchanged.
  await devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false })
  await page.context().clearCookies()
  await page.goto(`${url}/sign-in`)
  await press(page, 'Use a passkey instead')
  await expect(page.getByRole('alert').filter({ hasText: /passkey/ })).toBeVisible()
  await expectGood(page)
  await devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true })
  await press(page, 'Use a passkey instead')
  await expect(page).toHaveURL(`${url}/`)
  await page.goto(`${url}/second-factor`)
  await press(page, 'Remove Work phone')
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await expect(page.getByText('Not set up. Your account is protected')).toBeVisible()
  await page.context().clearCookies()
  await page.goto(`${url}/sign-in`)
  await press(page, 'Use a passkey instead')
  await expect(page.getByRole('alert').filter({ hasText: 'Use your password.' })).toBeVisible()
  expect(pageErrors.filter((line) => !line.includes('401'))).toEqual([])
})

test('SIGTERM ends the app with 0, and with it the embedded database', async () => {
  expect(postmaster(data)).toBeGreaterThan(0)
  app.kill('SIGTERM')
  expect(await app.ended).toBe(0)
  expect(postmaster(data)).toBeUndefined()
})

async function signInAt(page: Page, url: string, email: string) {
  await page.goto(`${url}/sign-in`)
  await page.getByLabel('Work email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await press(page, /^Sign in$/)
  await page.waitForURL((to) => to.pathname !== '/sign-in')
}
