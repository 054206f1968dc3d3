import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, type BrowserContext, expect, type Page, test } from '@playwright/test'
import { type FakeGoogle, startGoogle } from '../../test/fakes/google/fake.ts'
import { type FakeMicrosoft, startMicrosoft } from '../../test/fakes/microsoft/fake.ts'
import { startRecorder } from '../../test/fakes/vendors/recorder.ts'
import { asset, newCustomer } from '../admin.ts'
import { expectGood } from '../axe-checks.ts'
import { complaints, PHONE, pressEnter, signIn } from '../browser.ts'
import { isolatedEnvironment, startIsolatedApp } from '../isolated-app.ts'

// Messages of the screens about changes that have to wait, were not applied, were made by the vendor, or have an unclear
// outcome; and a reading of the vendor's records before the hourly one.

const TIMES = {
  VENDOR_READ_MS: '20000',
  VENDOR_WRITE_MS: '1500',
  VENDOR_CONFIRM_MS: '500',
  VENDOR_CHECK_MS: '500',
  VENDOR_STALE_MS: '500',
  VENDOR_PAUSE_MS: '1000',
  VENDOR_AGAIN_MS: '1000',
  // Long enough for a busy machine to show an open change.
  GOOGLE_SETTLE_SECONDS: '3',
  MICROSOFT_SETTLE_SECONDS: '7200',
}
const LONG =
  'Enterprise Plus for Regulated Research with Extended Data Residency and Assured Support (Nonprofit)'
const data = mkdtempSync(join(tmpdir(), 'licenses-invoices-own-'))
const contexts: BrowserContext[] = []
const member = { ana: '', ida: '' }
let google: FakeGoogle
/** Change in the vendor's console at the exact moment of the next write of Meet. */
let onNextWrite: (() => void) | undefined
let microsoft: FakeMicrosoft
/** Connections to both vendors, whose bytes can be read. */
let lines: Record<'google' | 'microsoft', Awaited<ReturnType<typeof startRecorder>>>
let key = ''
let app: Awaited<ReturnType<typeof startIsolatedApp>>

test.describe.configure({ mode: 'serial' })

test.beforeAll(async () => {
  google = await startGoogle({
    retryAfter: 4,
    onStep(step, { subscriptionId }) {
      if (step !== 'write-applied' || subscriptionId !== 'S-workspace-suite-5') return
      onNextWrite?.()
      onNextWrite = undefined
    },
  })
  microsoft = await startMicrosoft()
  lines = { google: await startRecorder(google.url), microsoft: await startRecorder(microsoft.url) }
  const env = isolatedEnvironment(data, {
    ...{ ...google.environment(data), GOOGLE_URL: lines.google.url },
    ...{ ...microsoft.environment(), MICROSOFT_URL: lines.microsoft.url },
    ...TIMES,
  })
  app = await startIsolatedApp(env)
  const customer = await newCustomer('waits', env)
  const plan = { purchased: 240, assigned: 182 }
  const at = (vendor: 'google-workspace' | 'microsoft-partner-center', id: string, name: string) => {
    const fake = vendor === 'google-workspace' ? google : microsoft
    const skuId = vendor === 'google-workspace' ? `SKU-${id}` : 'CFQ7TTC0LF8R:0001'
    const { assigned, purchased: total } = plan
    fake.add({ id: `S-${id}`, customerId: 'C01', skuId, assigned, total, plan: 'FLEXIBLE' } as never)
    const item = asset(id, name, plan)
    return { ...item, vendor, subscription: { ...item.subscription, skuId } }
  }
  await customer.importAssets([
    at('google-workspace', 'workspace-suite-1', 'Business Plus'),
    at('google-workspace', 'workspace-suite-2', LONG),
    at('google-workspace', 'workspace-suite-3', 'Chat'),
    at('google-workspace', 'workspace-suite-4', 'Voice'),
    at('google-workspace', 'workspace-suite-5', 'Meet'),
    at('google-workspace', 'workspace-suite-6', 'Frontline Starter'),
    at('microsoft-partner-center', 'office-suite-1', 'Office E3'),
    at('microsoft-partner-center', 'office-suite-2', 'Office E5'),
    at('microsoft-partner-center', 'office-suite-3', 'Office F3'),
  ])
  member.ana = await customer.member('Ana Ruiz', 'it-manager')
  member.ida = await customer.member('Ida Tech', 'it-manager')
  key = await customer.key('it-manager')
})

test.afterEach(async () => {
  for (const context of contexts.splice(0)) await context.close()
})

test.afterAll(async () => {
  app?.kill('SIGTERM')
  await app?.ended
  for (const end of [lines?.google, lines?.microsoft, google, microsoft]) await end?.close()
  rmSync(data, { recursive: true, force: true })
})

async function open(browser: Browser, email: string, path = '/assets'): Promise<Page> {
  const context = await browser.newContext({
    baseURL: app.url,
    viewport: { width: 1360, height: 900 },
    timezoneId: 'Asia/Tokyo',
  })
  contexts.push(context)
  const page = await context.newPage()
  await signIn(page, email, path)
  return page
}

const control = (page: Page, name: string) =>
  page.getByRole('spinbutton', { name: `Licenses of ${name}`, exact: true })
const row = (page: Page, name: string) => page.getByRole('row').filter({ has: control(page, name) })
/** Control of an asset's page. */
const total = (page: Page) => page.getByRole('spinbutton', { name: /^Licenses of / })
const changes = (page: Page) =>
  page
    .getByRole('table', { name: /^Changes of licenses/ })
    .locator('tbody')
    .getByRole('row')
const unclear = (page: Page) => changes(page).filter({ hasText: 'Unclear' })
const CHECKED = 'I have checked it: Meet, 240 → 250'
const toast = (page: Page, text: string | RegExp) => page.getByRole('status').getByText(text)

async function set(page: Page, name: string, quantity: number): Promise<void> {
  await control(page, name).fill(String(quantity))
  await page.getByRole('button', { name: `Set to ${quantity} licenses` }).click()
}

/** Checks the page on a desktop and a phone. */
async function expectGoodAtAllWidths(page: Page): Promise<void> {
  await page.mouse.move(0, 0)
  await expectGood(page)
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize(PHONE)
  await expectGood(page)
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize({ width: 1360, height: 900 })
}

// A fetch of ours intercepts the built server's outgoing requests: only here the bytes that leave it can be seen.
test('the built server sends a change with its length, in one piece, and with our user agent', async ({
  request,
}) => {
  const headers = { Authorization: `Bearer ${key}` }
  for (const id of ['workspace-suite-4', 'office-suite-3']) {
    const answer = await request.patch(`${app.url}/billing/v1/assets/${id}`, {
      headers,
      data: { quantity: 245 },
    })
    expect([id, answer.status()]).toEqual([id, 200])
  }
  const sentRequests = [...lines.google.requests('POST'), ...lines.microsoft.requests('PATCH')]
  expect(sentRequests).toHaveLength(2)
  for (const sentRequest of sentRequests) {
    expect(sentRequest).not.toMatch(/^transfer-encoding:/im)
    expect(sentRequest).toMatch(/^content-length: [1-9]\d*\r?$/im)
    expect(sentRequest).toMatch(/^user-agent: licenses-invoices\/\d/im)
  }
})

test('a throttle is counted down, and then the same total can be requested again', { tag: '@deep' }, async ({
  browser,
}) => {
  const page = await open(browser, member.ana)
  const pageErrors = complaints(page)
  google.failNext('write', 'throttle')
  await set(page, 'Business Plus', 250)
  const alert = page.getByRole('alert').filter({ hasText: 'Not changed to 250 licenses' })
  await expect(alert).toContainText(
    'Google Workspace asks us to wait. Nothing was changed. Try again in 4 seconds.',
  )
  const again = alert.getByRole('button', { name: 'Try again' })
  await expect(again).toHaveAttribute('aria-disabled', 'true')
  await again.click({ force: true })
  await expect(again).not.toHaveAttribute('aria-disabled')
  expect(google.subscription('S-workspace-suite-1')?.total).toBe(240)
  await again.click()
  await expect(toast(page, 'Business Plus: 240 → 250 licenses')).toBeVisible()
  expect(pageErrors).toEqual([])
})

test('a change that was not applied is set again by its review, from row, page and Activity', async ({
  browser,
}) => {
  google.setFault('S-workspace-suite-2', { write: 'drop-before' })
  const page = await open(browser, member.ana)
  const pageErrors = complaints(page)
  await set(page, LONG, 245)
  await expect(row(page, LONG)).toContainText('Confirming with the vendor…')
  await expect(row(page, LONG)).toContainText(
    /We expect to know from Google Workspace by .*\d\d:\d\d GMT\+9\./,
  )
  await expect(row(page, LONG)).toContainText('Not applied: 240 → 245, just now')
  google.setFault('S-workspace-suite-2', undefined)
  await expectGoodAtAllWidths(page)
  const writes = google.writes.length
  await row(page, LONG).getByRole('button', { name: 'Set to 245 again' }).click()
  await expect(control(page, LONG)).toHaveValue('245')
  await page.getByRole('button', { name: 'Discard' }).click()
  await page.goto('/assets/workspace-suite-2')
  await expect(
    page.getByText('Google Workspace shows 240 as before: it was not applied.').first(),
  ).toBeVisible()
  await expectGoodAtAllWidths(page)
  await page.getByRole('button', { name: 'Set to 245 again' }).click()
  await expect(page.getByRole('button', { name: 'Set to 245 licenses' })).toBeVisible()
  await page.goto('/activity')
  await expectGoodAtAllWidths(page)
  await page.getByRole('link', { name: 'Set to 245 again' }).click()
  await expect(page).toHaveURL('/assets/workspace-suite-2?set=245')
  // Without the review nothing is sent.
  expect(google.writes.length).toBe(writes)
  await page.getByRole('button', { name: 'Set to 245 licenses' }).click()
  await expect(toast(page, /240 → 245 licenses$/)).toBeVisible()
  await expect(page.getByRole('button', { name: /^Set to .* again$/ })).toHaveCount(0)
  expect(pageErrors).toEqual([])
})

test('a total that the vendor changed is marked in the row until a member sets another', async ({
  browser,
}) => {
  const page = await open(browser, member.ana)
  await expect(control(page, 'Chat')).toHaveValue('240')
  google.setByVendor('S-workspace-suite-3', 255)
  await set(page, 'Chat', 260)
  await page.getByRole('button', { name: 'Keep 255' }).click()
  const sign = row(page, 'Chat').getByRole('link', { name: /^Changed at Google Workspace: 240 → 255, / })
  await expect(sign).toBeVisible()
  await expectGoodAtAllWidths(page)
  await sign.click()
  await expect(page).toHaveURL('/assets/workspace-suite-3#history')
  await expect(page.getByRole('region', { name: 'History' })).toContainText('Changed at the vendor')
  await page.goto('/assets')
  await set(page, 'Chat', 256)
  await expect(toast(page, 'Chat: 255 → 256 licenses')).toBeVisible()
  await expect(sign).toHaveCount(0)
})

test('a wait of a day disables the control until then, after a reload and for other members too', {
  tag: '@deep',
}, async ({ browser }) => {
  microsoft.setFault('S-office-suite-1', { write: 'code-900278' })
  const page = await open(browser, member.ana)
  await set(page, 'Office E3', 250)
  const alert = page.getByRole('alert').filter({ hasText: 'Not changed to 250 licenses' })
  await expect(alert).toContainText('Try again after 24 hours.')
  await expect(alert.getByRole('button', { name: 'Try again' })).toHaveAttribute('aria-disabled', 'true')
  await expect(control(page, 'Office E3')).toBeDisabled()
  const ida = await open(browser, member.ida)
  for (const viewer of [page, ida]) {
    await viewer.reload()
    await expect(control(viewer, 'Office E3')).toBeDisabled()
    await expect(control(viewer, 'Office E3')).toHaveAccessibleDescription(
      /^Microsoft takes no change before \d+ \w+ \d{4}, \d\d:\d\d GMT\+9$/,
    )
  }
  await expectGoodAtAllWidths(page)
  await page.goto('/assets/office-suite-1')
  await expect(page.getByRole('button', { name: 'Set to 250 again' })).toBeDisabled()
  await expectGoodAtAllWidths(page)
})

test('an open change shows its deadline and the id to quote, and is resent where that is safe', {
  tag: '@deep',
}, async ({ browser }) => {
  microsoft.setFault('S-office-suite-2', { write: 'drop-before' })
  const page = await open(browser, member.ana)
  const pageErrors = complaints(page)
  await set(page, 'Office E5', 250)
  await expect(row(page, 'Office E5')).toContainText(/We expect to know from Microsoft by .*GMT\+9\./)
  await expect(
    row(page, 'Office E5').getByRole('button', { name: 'Ask again for 250 licenses' }),
  ).toBeVisible()
  await expectGoodAtAllWidths(page)
  const id = await row(page, 'Office E5')
    .getByRole('button', { name: /^Copy id .* of the change$/ })
    .getAttribute('title')
  await page.goto('/assets/office-suite-2')
  await expect(page.getByText(`If you ask for help, quote change ${id}`)).toBeVisible()
  await expectGoodAtAllWidths(page)
  microsoft.setFault('S-office-suite-2', undefined)
  await page.getByRole('button', { name: 'Ask for 250 again' }).click()
  await expect(toast(page, 'Office E5: 240 → 250 licenses')).toBeVisible()
  expect(microsoft.writes.filter(({ subscriptionId }) => subscriptionId === 'S-office-suite-2')).toHaveLength(
    1,
  )
  expect(pageErrors).toEqual([])
})

test('an unclear change is shown, compared, acknowledged, and set again', async ({ browser }) => {
  const page = await open(browser, member.ana, '/assets/workspace-suite-5')
  const pageErrors = complaints(page)
  // The answer is cut off, and another total is set at the vendor before the next read.
  google.setFault('S-workspace-suite-5', 'reset-after')
  onNextWrite = () => {
    google.setFault('S-workspace-suite-5', undefined)
    google.setByVendor('S-workspace-suite-5', 245)
  }
  await total(page).fill('250')
  await page.getByRole('button', { name: 'Set to 250 licenses' }).click()
  await expect(total(page)).toBeDisabled()
  await expect(
    page.getByRole('status').getByText(/We can’t tell whether the change to 250 reached/),
  ).toBeVisible()
  await expect(total(page)).toBeEnabled()
  await expect(total(page)).toHaveValue('245')
  await expect(unclear(page)).toContainText(/240 → 250.*We can’t tell .* it shows 245/)
  await expect(changes(page).filter({ hasText: 'Changed at the vendor' })).toContainText('240 → 245')
  await expectGoodAtAllWidths(page)

  await page.goto('/assets')
  const sign = row(page, 'Meet').getByRole('link', {
    name: 'We can’t tell whether 250 licenses reached Google',
  })
  await expect(sign).toBeVisible()
  await expect(control(page, 'Meet')).toBeEnabled()
  await expectGoodAtAllWidths(page)
  await sign.click()
  await expect(
    page.getByText(/^It shows 245, and someone else has changed it there too\. Compare/),
  ).toBeVisible()
  await expect(page.getByText('If you ask for help, quote change')).toBeVisible()
  await page.getByRole('link', { name: 'in the history' }).click()
  await expect(page.getByRole('button', { name: CHECKED })).toBeInViewport()

  await page.goto('/activity?filter=state:UNCLEAR')
  await expect(changes(page)).toHaveCount(1)
  await expect(page.getByRole('button', { name: CHECKED })).toHaveAccessibleDescription(/Nothing is sent/)
  await expectGoodAtAllWidths(page)

  await pressEnter(page.getByRole('button', { name: CHECKED }))
  const checkedNote = page.getByText(/^Checked by Ana Ruiz, \d+ \w+ \d{4}, \d\d:\d\d UTC$/)
  await expect(checkedNote).toBeFocused()
  await expectGoodAtAllWidths(page)
  await page.reload()
  await expect(checkedNote).toBeVisible()
  await expect(page.getByRole('button', { name: CHECKED })).toHaveCount(0)

  await page.goto('/assets/workspace-suite-5')
  await expect(unclear(page)).toContainText('Checked by Ana Ruiz')
  await total(page).fill('250')
  await page.getByRole('button', { name: 'Set to 250 licenses' }).click()
  await expect(page.getByRole('status').getByText('Meet: 245 → 250 licenses')).toBeVisible()
  await expect(changes(page).first()).toContainText(/Ana Ruiz.*245 → 250.*Applied/)
  expect(google.subscription('S-workspace-suite-5')?.total).toBe(250)
  expect(pageErrors).toEqual([])
})

test("an asset is read again on request: its values are the vendor's, and the button keeps the focus", async ({
  browser,
}) => {
  const page = await open(browser, member.ana, '/assets/workspace-suite-6')
  const pageErrors = complaints(page)
  const button = page.getByRole('button', { name: 'Read again now' })
  await expect(total(page)).toHaveValue('240')
  google.setByVendor('S-workspace-suite-6', 255)
  await button.focus()
  await page.keyboard.press('Enter')
  await expect(
    page.getByRole('status').getByText(/^At \d\d:\d\d:\d\d UTC it showed 255 purchased, 182 assigned\.$/),
  ).toBeVisible()
  await expect(button).toBeFocused()
  await expect(total(page)).toHaveValue('255')
  await expect(page.getByLabel('Facts')).toContainText('Purchased255')
  await expect(changes(page).first()).toContainText(/240 → 255.*Changed at the vendor/)
  await expectGoodAtAllWidths(page)

  google.setDown(true)
  const failure = page.getByRole('alert').filter({ hasText: 'Not read' })
  await expect(async () => {
    await button.click()
    await expect(failure).toContainText('Google Workspace cannot be reached for the moment.', {
      timeout: 2000,
    })
  }).toPass()
  await expect(button).toBeFocused()
  await expectGoodAtAllWidths(page)
  google.setDown(false)
  google.setByVendor('S-workspace-suite-6', 260)
  await expect(async () => {
    await button.click()
    await expect(total(page)).toHaveValue('260', { timeout: 2000 })
  }).toPass()
  await expect(failure).toHaveCount(0)
  expect(pageErrors).toEqual([])
})

test('a revoked key is a matter for the reseller, without a wait', async ({ browser }) => {
  google.keyFile(data, generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey)
  google.revokeTokens()
  const page = await open(browser, member.ana)
  await set(page, 'Business Plus', 260)
  const alert = page.getByRole('alert').filter({ hasText: 'Not changed to 260 licenses' })
  await expect(alert).toContainText(
    'We have no access to Google Workspace at the moment, which your reseller can restore. Nothing was changed.',
  )
  await expect(alert).toContainText('Tell your reseller, and quote: Request')
})
