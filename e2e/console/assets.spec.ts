import { expect, type Page } from '@playwright/test'
import { asset, newCustomer } from '../admin.ts'
import { expectGood } from '../axe-checks.ts'
import { addFilter, clipboardText, PHONE, pressSlash, signIn, waitForRows } from '../browser.ts'
import { test } from '../reused-page.ts'

const member = { it: '', empty: '' }
let key = ''

test.beforeAll(async () => {
  const customer = await newCustomer('assets')
  await customer.importAssets([
    asset('workspace-suite-1', 'Business Plus', { purchased: 240, assigned: 182 }),
    asset('workspace-suite-2', 'Enterprise Standard', { purchased: 60, assigned: 60 }),
    asset('workspace-suite-3', 'A name that somebody wrote who was paid by the word, Enterprise Edition', {
      purchased: 123_456,
      assigned: 99_999,
    }),
    asset('workspace-suite-4', 'Archived User', { purchased: 30, assigned: 12, status: 'SUSPENDED' }),
    asset('office-suite-1', 'Apps for Business', { purchased: 45, assigned: 41 }),
    asset('office-suite-2', 'Office E3', { purchased: 0 }),
    asset('own-slug-1', 'Something new'),
    asset('cloud-platform-1', 'Production'),
  ])
  member.it = await customer.member('Ida Tech', 'it-manager')
  key = await customer.key('it-manager')
  const empty = await newCustomer('empty')
  member.empty = await empty.member('Em Pty', 'it-manager')
})

const rows = (page: Page) => page.getByRole('table', { name: 'Assets' }).locator('tbody').getByRole('row')

test('the address is the view for type, search, reload and Back, and the API returns the same rows', async ({
  page,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await signIn(page, member.it, '/assets')
  await expect(rows(page)).toHaveCount(8)
  await pressSlash(page)
  await page.keyboard.type('off')
  await expect(page).toHaveURL(/search=off$/)
  await page.getByRole('button', { name: 'Type: All types' }).click()
  await page.getByRole('checkbox', { name: /Office suite/ }).check()
  await expect(page).toHaveURL('/assets?search=off&filter=type:office-suite')
  await page.reload()
  await expect(page.getByRole('searchbox')).toHaveValue('off')
  await expect(page.getByRole('button', { name: 'Type: Office suite' })).toBeVisible()
  await waitForRows(page)
  const rowCount = await rows(page).count()
  await page.getByRole('button', { name: 'Copy as request' }).click()
  const line = await clipboardText(page, /search=off/)
  const url = /'(http[^']+)'/.exec(line)?.[1] ?? ''
  const answer = await page.request.get(url, { headers: { Authorization: `Bearer ${key}` } })
  expect((await answer.json()).rowCount).toBe(rowCount)
  await page.getByRole('searchbox').fill('zzz')
  await expect(page.getByText('Nothing matches')).toBeVisible()
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await expect(rows(page)).toHaveCount(8)
})

test('an invalid address is explained, with a link to the whole list', async ({ page }) => {
  await signIn(page, member.it, '/assets?filter=color:red')
  await expect(page.getByText('This link has a filter we don’t recognize')).toBeVisible()
  await expectGood(page)
  await page.goto('/assets?pageToken=nonsense')
  await expect(page.getByText('The page token is not valid here')).toBeVisible()
  await page.getByRole('link', { name: 'Show all assets' }).click()
  await expect(rows(page)).toHaveCount(8)
})

test('an inactive subscription and a usage-based asset cannot be changed, with a reason', async ({
  page,
}) => {
  await signIn(page, member.it, '/assets')
  await expect(page.getByRole('spinbutton', { name: 'Licenses of Archived User' })).toBeDisabled()
  await expect(page.getByText('Can’t be changed while suspended')).toBeVisible()
  await expect(page.getByRole('row').filter({ hasText: 'Production' })).toContainText('No licenses')
  await expect(page.getByRole('spinbutton', { name: 'Licenses of Production' })).toHaveCount(0)
})

test('the order is shown and changed by column headers, and by a menu on a phone', async ({ page }) => {
  await signIn(page, member.it, '/assets')
  const table = (sort: string) => page.getByRole('table', { name: `Assets, ${sort}`, exact: true })
  const first = () => rows(page).first().getByRole('link').first()
  await expect(table('newest first')).toBeVisible()
  const columnHeader = (name: RegExp) => page.getByRole('columnheader', { name })
  await columnHeader(/Asset/).getByRole('link').press('Enter')
  await expect(page).toHaveURL('/assets?orderBy=name%20asc')
  await expect(columnHeader(/Asset/)).toHaveAttribute('aria-sort', 'ascending')
  await expect(first()).toHaveText(/^A name/)
  await columnHeader(/Usage/).getByRole('link').click()
  await expect(table('most unassigned first')).toBeVisible()
  await expect(columnHeader(/Usage/)).toHaveAttribute('aria-sort', 'descending')
  await expect(columnHeader(/Asset/)).not.toHaveAttribute('aria-sort')
  await expect(first()).toHaveText(/^A name/)
  await page.getByRole('button', { name: 'Export', exact: true }).click()
  await expect(page.getByRole('link', { name: 'CSV' })).toHaveAttribute('href', /orderBy=idle/)
  await page.setViewportSize(PHONE)
  await page.goto('/assets')
  await page.getByRole('button', { name: 'Order: Newest first' }).click()
  await expectGood(page)
  await page.getByRole('link', { name: 'By name, Z to A' }).click()
  await expect(first()).toHaveText(/^Something new/)
  await page.goBack()
  await expect(page.getByRole('button', { name: 'Order: Newest first' })).toBeVisible()
})

test('filters are set, shown and removed in one place, and the count is of the filtered rows', async ({
  page,
}) => {
  await signIn(page, member.it, '/assets')
  await addFilter(page, 'Usage')
  await page.getByLabel('Full, all assigned').check()
  await expect(page).toHaveURL('/assets?filter=usage:full')
  await page.keyboard.press('Escape')
  await expect(page.getByText('2 assets match.')).toBeVisible()
  await page.getByRole('button', { name: 'Type: All types' }).click()
  await expect(page.getByRole('checkbox', { name: 'Office suite 1' })).toBeVisible()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Status: All statuses' }).click()
  await page.getByLabel('Suspended').check()
  await expect(page.getByText('Nothing matches')).toBeVisible()
  await page.keyboard.press('Escape')
  await expectGood(page)
  await page.getByRole('button', { name: 'Remove filter: Full' }).click()
  await expect(page.getByText('1 asset matches.')).toBeVisible()
  await addFilter(page, 'Renewal')
  await page.getByRole('button', { name: 'Next 90 days' }).click()
  await expect(page).toHaveURL(/minRenewalTime=\d+&maxRenewalTime=\d+/)
  await expect(page.getByRole('button', { name: 'Renewal: Next 90 days' })).toBeVisible()
  await page.getByRole('button', { name: 'Clear all' }).click()
  await expect(rows(page)).toHaveCount(8)
})

test('the list fits a phone of 360 px', async ({ page }) => {
  await page.setViewportSize(PHONE)
  await signIn(page, member.it, '/assets')
  await expect(rows(page)).toHaveCount(8)
  await expectGood(page)
  await page.getByRole('button', { name: 'One more: Licenses of Business Plus' }).click()
  await expect(page.getByText('Business Plus: 240 → 241 licenses')).toBeVisible()
  await expectGood(page)
})

test('an empty list and an empty search result have different texts', async ({ page }) => {
  await signIn(page, member.empty, '/assets')
  await expect(page.getByText('No assets yet')).toBeVisible()
  await expectGood(page)
})
