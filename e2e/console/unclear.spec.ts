import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, expect, type Page, test } from '@playwright/test'
import { type FakeGoogle, startGoogle } from '../../test/fakes/google/fake.ts'
import { asset, newCustomer } from '../admin.ts'
import { expectGood } from '../axe-checks.ts'
import { complaints, PHONE, pressEnter, signIn } from '../browser.ts'
import { isolatedEnvironment, startIsolatedApp } from '../isolated-app.ts'

// Journeys for changes with an unclear outcome: a change that the vendor may have applied, and a reading of the
// vendor's records before the hourly one. An app of its own, with a fake Google behind it.

const TIMES = {
  VENDOR_WRITE_MS: '1500',
  VENDOR_CONFIRM_MS: '500',
  VENDOR_CHECK_MS: '500',
  VENDOR_STALE_MS: '500',
  VENDOR_PAUSE_MS: '1000',
  VENDOR_AGAIN_MS: '1000',
  // Long enough for a busy machine to show an open change.
  GOOGLE_SETTLE_SECONDS: '3',
}
const data = mkdtempSync(join(tmpdir(), 'licenses-invoices-unclear-'))
let google: FakeGoogle
/** Change in the vendor's console at the exact moment of the next write. */
let onNextWrite: (() => void) | undefined
let app: Awaited<ReturnType<typeof startIsolatedApp>>
let ana = ''

test.describe.configure({ mode: 'serial' })

test.beforeAll(async () => {
  google = await startGoogle({
    onStep(step) {
      if (step !== 'write-applied') return
      onNextWrite?.()
      onNextWrite = undefined
    },
  })
  const env = isolatedEnvironment(data, { ...google.environment(data), ...TIMES })
  app = await startIsolatedApp(env)
  const customer = await newCustomer('unclear', env)
  const atGoogle = (number: number, name: string) => {
    const id = `workspace-suite-${number}`
    const skuId = `SKU-${number}`
    google.add({ id: `S-${id}`, customerId: 'C01', skuId, plan: 'FLEXIBLE', assigned: 182, total: 240 })
    const item = asset(id, name, { purchased: 240, assigned: 182 })
    return { ...item, vendor: 'google-workspace', subscription: { ...item.subscription, skuId } }
  }
  await customer.importAssets([atGoogle(1, 'Business Plus'), atGoogle(2, 'Frontline Starter')])
  ana = await customer.member('Ana Ruiz', 'it-manager')
})

test.afterAll(async () => {
  app?.kill('SIGTERM')
  await app?.ended
  await google?.close()
  rmSync(data, { recursive: true, force: true })
})

/** Opens a browser in which Ana is signed in, at a path of this app. */
async function open(browser: Browser, path: string): Promise<Page> {
  const context = await browser.newContext({ baseURL: app.url, viewport: { width: 1360, height: 900 } })
  const page = await context.newPage()
  await signIn(page, ana, path)
  return page
}

const total = (number: number) => google.subscription(`S-workspace-suite-${number}`)?.total
const control = (page: Page) => page.getByRole('spinbutton', { name: /^Licenses of / })
const changes = (page: Page) =>
  page
    .getByRole('table', { name: /^Changes of licenses/ })
    .locator('tbody')
    .getByRole('row')
const unclear = (page: Page) => changes(page).filter({ hasText: 'Unclear' })
const CHECKED = 'I have checked it: Business Plus, 240 → 250'

/** Checks the page at the widths of a desktop and a phone. */
async function expectGoodAtAllWidths(page: Page) {
  await expectGood(page)
  await page.setViewportSize(PHONE)
  await expectGood(page)
  await page.setViewportSize({ width: 1360, height: 900 })
}

test('an unclear change is shown, compared, acknowledged, and set again', async ({ browser }) => {
  const page = await open(browser, '/assets/workspace-suite-1')
  const pageErrors = complaints(page)
  // The answer is cut off, and another total is set at the vendor before the next read.
  google.failNext('write', 'reset-after')
  onNextWrite = () => google.setByVendor('S-workspace-suite-1', 245)
  await control(page).fill('250')
  await page.getByRole('button', { name: 'Set to 250 licenses' }).click()
  await expect(control(page)).toBeDisabled()
  await expect(
    page.getByRole('status').getByText(/We can’t tell whether the change to 250 reached/),
  ).toBeVisible()
  await expect(control(page)).toBeEnabled()
  await expect(control(page)).toHaveValue('245')
  await expect(unclear(page)).toContainText(/240 → 250.*We can’t tell .* it shows 245/)
  await expect(changes(page).filter({ hasText: 'Changed at the vendor' })).toContainText('240 → 245')
  await expectGoodAtAllWidths(page)

  await page.goto('/activity?filter=state:UNCLEAR')
  await expect(changes(page)).toHaveCount(1)
  await expect(page.getByRole('button', { name: CHECKED })).toHaveAccessibleDescription(/nothing is sent/)
  await expectGoodAtAllWidths(page)

  await pressEnter(page.getByRole('button', { name: CHECKED }))
  const checkedNote = page.getByText(/^Checked by Ana Ruiz, \d+ \w+ \d{4}, \d\d:\d\d UTC$/)
  await expect(checkedNote).toBeFocused()
  await expectGoodAtAllWidths(page)
  await page.reload()
  await expect(checkedNote).toBeVisible()
  await expect(page.getByRole('button', { name: CHECKED })).toHaveCount(0)

  await page.goto('/assets/workspace-suite-1')
  await expect(unclear(page)).toContainText('Checked by Ana Ruiz')
  await control(page).fill('250')
  await page.getByRole('button', { name: 'Set to 250 licenses' }).click()
  await expect(page.getByRole('status').getByText('Business Plus: 245 → 250 licenses')).toBeVisible()
  await expect(changes(page).first()).toContainText(/Ana Ruiz.*245 → 250.*Applied/)
  expect(total(1)).toBe(250)
  expect(pageErrors).toEqual([])
})

test("an asset is read again on request: its values are the vendor's, and the button keeps the focus", async ({
  browser,
}) => {
  const page = await open(browser, '/assets/workspace-suite-2')
  const pageErrors = complaints(page)
  const button = page.getByRole('button', { name: 'Read again now' })
  await expect(control(page)).toHaveValue('240')
  google.setByVendor('S-workspace-suite-2', 255)
  await button.focus()
  await page.keyboard.press('Enter')
  await expect(
    page.getByRole('status').getByText(/^At \d\d:\d\d:\d\d UTC it showed 255 purchased, 182 assigned\.$/),
  ).toBeVisible()
  await expect(button).toBeFocused()
  await expect(control(page)).toHaveValue('255')
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
  google.setByVendor('S-workspace-suite-2', 260)
  await expect(async () => {
    await button.click()
    await expect(control(page)).toHaveValue('260', { timeout: 2000 })
  }).toPass()
  await expect(failure).toHaveCount(0)
  expect(pageErrors).toEqual([])
})
