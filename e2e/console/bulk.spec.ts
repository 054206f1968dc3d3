import { readFile } from 'node:fs/promises'
import { type Browser, expect, type Page } from '@playwright/test'
import { asset, invoice, newCustomer } from '../admin.ts'
import { expectGood } from '../axe-checks.ts'
import { complaints, giveSession, PHONE, signIn } from '../browser.ts'
import { test } from '../reused-page.ts'

const COMMITTED = { assigned: 40, commitmentEnd: '2099-03-01T00:00:00Z' }
const MANY = Array.from({ length: 8 }, (_, at) => `office-suite-many-${at}`)
const member = { ida: '', ana: '' }

test.beforeAll(async () => {
  const keysOfRow = await newCustomer('bulk')
  await keysOfRow.importAssets([
    asset('workspace-suite-1', 'Business Plus', { purchased: 240, assigned: 182 }),
    asset('workspace-suite-2', 'Enterprise', { purchased: 50, ...COMMITTED }),
    asset('workspace-suite-3', 'Frontline', { purchased: 50, ...COMMITTED }),
    asset('workspace-suite-4', 'Archive', { purchased: 30, status: 'SUSPENDED' }),
    asset('office-suite-1', 'Apps', { purchased: 45, assigned: 41 }),
    asset('office-suite-2', 'E3', { purchased: 45 }),
    asset('office-suite-3', 'E5', { purchased: 45 }),
    asset('cloud-platform-1', 'Production'),
    ...MANY.map((id) => asset(id, `Many ${id}`, { purchased: 10 })),
  ])
  await keysOfRow.importInvoices([
    invoice('IN-7', {
      platform: 'workspace-suite',
      totalAmount: '4320.00',
      lines: [{ description: 'Business Plus, October', price: '18.00', qty: '240' }],
    }),
  ])
  member.ida = await keysOfRow.member('Ida Tech', 'it-manager', 'finance-user')
  member.ana = await keysOfRow.member('Ana Ruiz', 'it-manager')
})

const list = (page: Page) => page.getByRole('textbox', { name: /asset ID, new total/ })
const row = (page: Page, id: string) => page.getByRole('row').filter({ hasText: id })
const check = (page: Page) => page.getByRole('button', { name: 'Check the list' }).click()

async function open(page: Page, text: string, email = member.ida): Promise<void> {
  await signIn(page, email, '/assets/bulk')
  await list(page).fill(text)
  await check(page)
}

/** Returns the totals that were requested for an asset, the newest first. */
async function totals(page: Page, id: string): Promise<number[]> {
  const answer = await page.request.get(`/billing/v1/license-changes?filter=asset:${id}`)
  return (await answer.json()).licenseChanges.map(({ to }: { to: number }) => to)
}

async function anaSets(browser: Browser, id: string, quantity: number): Promise<void> {
  const context = await browser.newContext()
  await giveSession(context, member.ana)
  const headers = { origin: process.env.E2E_BASE_URL as string }
  const answer = await context.request.patch(`/billing/v1/assets/${id}`, { headers, data: { quantity } })
  expect(answer.status()).toBe(200)
  await context.close()
}

test('a list with errors shows each at its line, and keeps the text', async ({ page }) => {
  const pageErrors = complaints(page)
  await signIn(page, member.ida, '/assets')
  await page.getByRole('link', { name: 'Bulk edit' }).click()
  // The page is rendered a moment before its title is set.
  await expect(page).toHaveTitle(/Bulk edit/)
  await expectGood(page)
  const text = 'Asset ID,Total\noffice-suite-2,1.5\noffice-suite-3,50\noffice-suite-3,51\n'
  await list(page).fill(text)
  await check(page)
  const alert = page.getByRole('main').getByRole('alert')
  await expect(alert).toContainText('2 lines can’t be read')
  await expect(alert).toContainText('Line 2: "1.5" is not a whole number')
  await expect(alert).toContainText('Line 4: "office-suite-3" is on line 3 already')
  await expectGood(page)
  await page.getByRole('button', { name: 'Line 4' }).click()
  await expect(list(page)).toBeFocused()
  const selected = () =>
    list(page).evaluate((area: HTMLTextAreaElement) => [area.selectionStart, area.selectionEnd])
  await expect.poll(selected).toEqual([text.indexOf('office-suite-3,51'), text.length - 1])
  await page.reload()
  await expect(list(page)).toHaveValue(text)
  await list(page).fill(Array.from({ length: 251 }, (_, at) => `a-${at},1`).join('\n'))
  await check(page)
  await expect(alert).toContainText('The list has 251 rows, and at most 250 assets can be changed at once.')
  expect(pageErrors).toEqual([])
})

test('each row is checked, one confirmation sends the allowed rows, and each row shows its result', async ({
  page,
}) => {
  const pageErrors = complaints(page)
  await open(
    page,
    'workspace-suite-1\t195\nworkspace-suite-2\t75\nworkspace-suite-3\t49\nworkspace-suite-4\t31\n' +
      'office-suite-1\t40\noffice-suite-2\t45\ncloud-platform-1\t5\noffice-suite-none\t7\n',
  )
  const panel = page.getByRole('region', { name: 'The list as a whole' })
  await expect(panel).toContainText('Set 2 assets, +25 and −45 licenses; the added ones can’t be lowered')
  await expect(panel).toContainText('1 has its total already. 5 can’t be set: see why below.')
  await expect(panel).toContainText('About 810.00 USD less per billing period, at the prices last billed.')
  await expect(panel).toBeFocused()
  await expect(row(page, 'workspace-suite-1')).toContainText('240 → 195')
  await expect(row(page, 'workspace-suite-2')).toContainText('Can’t be undone')
  await expect(row(page, 'workspace-suite-3')).toContainText(
    'This plan can’t go below 50 licenses before 1 Mar 2099.',
  )
  await expect(row(page, 'workspace-suite-4')).toContainText('The subscription is SUSPENDED')
  await expect(row(page, 'office-suite-1')).toContainText('41 users are assigned. Unassign 1 first')
  await expect(row(page, 'office-suite-2')).toContainText('No change')
  await expect(row(page, 'cloud-platform-1')).toContainText('have no licenses')
  await expect(row(page, 'office-suite-none')).toContainText('No asset has this ID.')
  await expectGood(page)
  await page.setViewportSize(PHONE)
  await expectGood(page)
  await page.setViewportSize({ width: 1360, height: 900 })

  const send = page.getByRole('button', { name: 'Set 2 assets' })
  await expect(send).toBeDisabled()
  await page.getByLabel('Type 25 to confirm').fill('25')
  expect(await totals(page, 'workspace-suite-1')).toEqual([])
  await send.click()
  await expect(panel).toContainText('3 of 8 rows are as listed')
  await expect(row(page, 'workspace-suite-1')).toContainText('Done')
  await expect(row(page, 'workspace-suite-2')).toContainText('Done')
  expect([await totals(page, 'workspace-suite-1'), await totals(page, 'workspace-suite-2')]).toEqual([
    [195],
    [75],
  ])
  await expectGood(page)

  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download CSV' }).click()
  const receipt = await readFile(await (await saved).path(), 'utf8')
  expect(receipt.split('\r\n').map((line) => line.split(',').slice(0, 5))).toEqual([
    ['\ufeffAsset ID', 'Name', 'From', 'To', 'Outcome'],
    ['workspace-suite-1', 'Business Plus', '240', '195', 'Done'],
    ['workspace-suite-2', 'Enterprise', '50', '75', 'Done'],
    ['workspace-suite-3', 'Frontline', '50', '49', 'Can’t be set'],
    ['workspace-suite-4', 'Archive', '30', '31', 'Can’t be set'],
    ['office-suite-1', 'Apps', '45', '40', 'Can’t be set'],
    ['office-suite-2', 'E3', '45', '45', 'No change'],
    ['cloud-platform-1', 'Production', '', '5', 'Can’t be set'],
    ['office-suite-none', '', '', '7', 'Can’t be set'],
    [''],
  ])
  await expect.poll(() => page.evaluate(() => Object.keys(localStorage))).toEqual([])
  await page.getByRole('button', { name: 'Edit the list' }).click()
  await check(page)
  await expect(panel).toContainText('Nothing to set')
  await expect(row(page, 'workspace-suite-1')).toContainText('No change')
  expect(pageErrors).toEqual([])
})

test('a list can be pasted, checked and confirmed by keyboard only', async ({ page }) => {
  await signIn(page, member.ida, '/assets/bulk')
  await list(page).focus()
  await page.keyboard.insertText('office-suite-3;46')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  const panel = page.getByRole('region', { name: 'The list as a whole' })
  await expect(panel).toContainText('Set 1 asset, +1 license')
  await expect(panel).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('button', { name: 'Edit the list' })).toBeFocused()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(panel).toContainText('1 of 1 row is as listed')
  await expect(panel).toBeFocused()
  expect(await totals(page, 'office-suite-3')).toEqual([46])
})

test('a change made by another member since the check is not overwritten', async ({ page, browser }) => {
  await open(page, 'office-suite-2,60\noffice-suite-3,61')
  await expect(page.getByRole('region', { name: 'The list as a whole' })).toContainText('Set 2 assets, +30')
  await anaSets(browser, 'office-suite-2', 55)
  await page.getByRole('button', { name: 'Set 2 assets' }).click()
  await expect(row(page, 'office-suite-2')).toContainText(
    'Ana Ruiz set this to 55 licenses just now. Your 60 now means +5, not +15.',
  )
  await expect(row(page, 'office-suite-3')).toContainText('Done')
  expect(await totals(page, 'office-suite-2')).toEqual([55])
})

test('an interrupted list resumes where it stopped, with one effect per row', async ({ page }) => {
  const keys = new Map<string, Set<string>>()
  let requestCount = 0
  let isBlocked = true
  await page.route('**/billing/v1/assets/office-suite-many-*', async (route) => {
    const request = route.request()
    if (request.url().includes('dryRun')) return route.continue()
    const id = new URL(request.url()).pathname.split('/').at(-1) ?? ''
    keys.set(id, (keys.get(id) ?? new Set()).add(request.headers()['idempotency-key'] ?? ''))
    requestCount += 1
    // The third request arrives, the fourth one does not; both get no answer.
    if (isBlocked && requestCount === 3) await route.fetch()
    if (isBlocked && requestCount >= 3) return
    await route.continue()
  })
  await open(page, MANY.map((id) => `${id},15`).join('\n'))
  await page.getByRole('button', { name: 'Set 8 assets' }).click()
  await expect.poll(() => requestCount).toBe(4)
  await expect.poll(() => totals(page, MANY[2] ?? '')).toEqual([15])
  await expectGood(page)
  isBlocked = false
  await page.reload()
  const panel = page.getByRole('region', { name: 'The list as a whole' })
  await expect(panel).toContainText('2 of 8 rows are as listed')
  await expect(panel).toContainText('This list was confirmed on')
  await expect(row(page, MANY[2] ?? '')).toContainText('Not known yet')
  await expect(row(page, MANY[7] ?? '')).toContainText('Not sent yet')
  await expectGood(page)
  expect(requestCount).toBe(4)
  await page.getByRole('button', { name: 'Continue with 6' }).click()
  await expect(panel).toContainText('8 of 8 rows are as listed')
  for (const id of MANY) expect([id, await totals(page, id)]).toEqual([id, [15]])
  expect([...keys.values()].map((keysOfRow) => keysOfRow.size)).toEqual(MANY.map(() => 1))
  await page.reload()
  await expect(list(page)).toHaveValue('')
})

test('only rows without a known result are retried: vendor down, no confirmation, lost answer', async ({
  page,
}) => {
  const failures = [
    { status: 503, code: 'vendor_unavailable', detail: 'Nothing was changed.' },
    { status: 504, code: 'outcome_unknown', detail: 'The vendor has not confirmed the change yet.' },
    'lost',
  ] as const
  const requested: string[] = []
  await page.route('**/billing/v1/assets/office-suite-many-*', async (route) => {
    if (route.request().url().includes('dryRun')) return route.continue()
    const at = Number(route.request().url().at(-1))
    const isFirst = !requested.includes(String(at))
    requested.push(String(at))
    const failure = isFirst ? failures[at] : undefined
    if (!failure) return route.continue()
    if (failure === 'lost') {
      await route.fetch()
      return route.abort()
    }
    return route.fulfill({ status: failure.status, contentType: 'application/problem+json', json: failure })
  })
  await open(
    page,
    MANY.slice(0, 4)
      .map((id) => `${id},20`)
      .join('\n'),
  )
  await page.getByRole('button', { name: 'Set 4 assets' }).click()
  await expect(row(page, MANY[1] ?? '')).toContainText('The vendor has not confirmed the change yet.')
  await expect(page.getByText('1 not confirmed by the vendor yet')).toBeVisible()
  const panel = page.getByRole('region', { name: 'The list as a whole' })
  // Looked up automatically.
  await expect(panel).toContainText('2 of 4 rows are as listed')
  await expect(row(page, MANY[0] ?? '')).toContainText('Nothing was changed.')
  await expect(row(page, MANY[2] ?? '')).toContainText('Not known yetWe couldn’t confirm the changes.')
  await expectGood(page)
  const before = requested.length
  await page.getByRole('button', { name: 'Try 2 again' }).click()
  await expect(panel).toContainText('4 of 4 rows are as listed')
  expect(requested.slice(before).toSorted()).toEqual(['0', '2'])
  for (const id of MANY.slice(0, 4))
    expect([id, (await totals(page, id)).filter((to) => to === 20)]).toEqual([id, [20]])
})

test('a stopped list resumes after a sign-in; nothing is stored after the sign-out', async ({
  page,
  context,
}) => {
  const stopped = Promise.withResolvers<void>()
  let requestCount = 0
  await page.route('**/billing/v1/assets/office-suite-many-*', async (route) => {
    if (!route.request().url().includes('dryRun')) {
      requestCount += 1
      await stopped.promise
    }
    await route.continue()
  })
  await open(page, MANY.map((id) => `${id},30`).join('\n'))
  await page.getByRole('button', { name: 'Set 8 assets' }).click()
  await expect.poll(() => requestCount).toBe(2)
  await page.getByRole('button', { name: 'Stop' }).click()
  stopped.resolve()
  await expect(row(page, MANY[7] ?? '')).toContainText('Not sent yet')
  const panel = page.getByRole('region', { name: 'The list as a whole' })
  await expect(panel).toContainText('2 of 8 rows are as listed')
  await context.clearCookies()
  await page.getByRole('button', { name: 'Continue with 6' }).click()
  await expect(page.getByRole('main').getByRole('alert')).toContainText('Your session ended')
  await page.getByRole('main').getByRole('alert').getByRole('link', { name: 'Sign in' }).click()
  // The sign-in reloads the page: an earlier navigation would be cancelled.
  await page.waitForFunction(() => {
    const [entry] = performance.getEntriesByType('navigation')
    return entry !== undefined && new URL(entry.name).pathname === '/sign-in'
  })
  await signIn(page, member.ida, '/assets/bulk')
  await page.getByRole('button', { name: 'Continue with 6' }).click()
  await expect(panel).toContainText('8 of 8 rows are as listed')
  for (const id of MANY) expect((await totals(page, id)).filter((to) => to === 30)).toEqual([30])
  await page.getByRole('button', { name: 'New list' }).click()
  await list(page).fill('office-suite-2,1')
  await expect.poll(() => page.evaluate(() => Object.keys(localStorage).length)).toBe(1)
  await page.getByRole('button', { name: /Ida Tech/ }).click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.waitForURL('**/sign-in')
  await expect.poll(() => page.evaluate(() => Object.keys(localStorage))).toEqual([])
})

test('the list survives a script that did not load, and is read later', async ({ page }) => {
  await signIn(page, member.ida, '/assets/bulk')
  await page.route('**/*.js', (route) => route.abort())
  await list(page).fill('office-suite-2,1.5')
  for (const reason of ['a part of this page did not load', 'Line 1: "1.5" is not a whole number']) {
    await check(page)
    await expect(page.getByRole('main').getByRole('alert')).toContainText(reason)
    await page.unroute('**/*.js')
  }
})

test('an asset beyond the first page is found by its ID, even if other IDs contain it', async ({ page }) => {
  const many = await newCustomer('bulkmany')
  const ids = Array.from({ length: 300 }, (_, at) => `workspace-suite-1${at === 0 ? '' : `-${at}`}`)
  await many.importAssets(ids.map((id) => asset(id, `Asset ${id}`, { purchased: 10 })))
  await open(
    page,
    'workspace-suite-1,11\nworkspace-suite-1-299,11\nworkspace-suite,11',
    await many.member('Mo Ny', 'admin'),
  )
  await expect(page.getByRole('region', { name: 'The list as a whole' })).toContainText(
    'Set 2 assets, +2 licenses',
  )
  await expect(row(page, 'workspace-suite · line 3')).toContainText('No asset has this ID.')
})
