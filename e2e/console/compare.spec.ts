import { readFileSync } from 'node:fs'
import { expect, type Page } from '@playwright/test'
import { parse } from 'csv-parse/sync'
import { readXlsx } from 'hucre/xlsx'
import { invoice, newCustomer } from '../admin.ts'
import { expectGood } from '../axe-checks.ts'
import { complaints, exported, giveSession, PHONE, signIn } from '../browser.ts'
import { day, sinceThen } from '../days.ts'
import { test } from '../reused-page.ts'

const SEP = { invoiceDate: '2026-09-30', dueDate: '2026-10-30' }
const OCT = { invoiceDate: '2026-10-31', dueDate: '2026-11-30' }
const line = (description: string, price: string, qty = '1', details?: string) => ({
  description,
  price,
  qty,
  ...(details ? { details } : {}),
})
const many = (count: number, price: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => line(`Service ${index}`, price(index)))

const people = { finance: '', it: '', other: '' }

test.beforeAll(async () => {
  const customer = await newCustomer('compare')
  await customer.importInvoices([
    invoice('SEP', {
      ...SEP,
      totalAmount: '110',
      lines: [
        line('Compute', '0.5', '100', 'Usage, 18 charges'),
        line('Support', '50'),
        line('Object storage', '10', '1', '1 – 30 Sep 2026'),
      ],
    }),
    invoice('OCT', {
      ...OCT,
      totalAmount: '107.34',
      lines: [
        line('Compute', '0.6', '120', 'Usage, 21 charges'),
        line('=Logs', '13'),
        line('Object storage', '10', '1', '1 – 31 Oct 2026'),
      ],
    }),
    invoice('OCT-WEB', { ...OCT, platform: 'web-services' }),
    invoice('BIG-SEP', { ...SEP, platform: 'own-slug', totalAmount: '1000', lines: many(1000, () => '1') }),
    invoice('BIG-OCT', {
      ...OCT,
      platform: 'own-slug',
      totalAmount: '1060',
      lines: many(1000, (index) => (index < 60 ? '2' : '1')),
    }),
  ])
  people.finance = await customer.member('Fin Clerk', 'finance-user')
  people.it = await customer.member('Ida Tech', 'it-manager')
  const other = await newCustomer('othercompare')
  people.other = await other.member('Eve Else', 'admin')
})

const differences = (page: Page) => page.getByRole('table', { name: 'Differences', exact: true })

async function saved(page: Page, click: () => Promise<void>) {
  const [download] = await Promise.all([page.waitForEvent('download'), click()])
  const text = readFileSync(await download.path(), 'utf8')
  const rows: Record<string, string>[] = parse(text, { bom: true, columns: true })
  return { name: download.suggestedFilename(), rows }
}

test('October’s difference to September is explained, from the invoice to the file', async ({ page }) => {
  const pageErrors = complaints(page)
  await signIn(page, people.finance, '/invoices/OCT')
  await page.getByRole('link', { name: 'Compare with previous' }).click()
  await expect(page).toHaveURL('/invoices/compare?from=SEP&to=OCT')
  await expect(page.getByText('1 line changed, 1 added, 1 removed, 1 unchanged')).toBeVisible()
  await expect(differences(page).getByRole('row')).toHaveText([
    /Line.*Difference/,
    /Support.*Removed.*50\.00.*−50\.00$/,
    /Compute.*Usage, 18 charges → Usage, 21 charges.*Quantity and price.*100 × 0\.50.*120 × 0\.60.*\+22\.00$/,
    /=Logs.*Added.*\+13\.00$/,
    /Line items.*110\.00.*95\.00.*−15\.00/,
    /Not itemized.*0\.00.*12\.34.*\+12\.34/,
    /Total.*110\.00.*107\.34.*−2\.66/,
  ])
  await expect(page.getByText('12.34 USD of OCT')).toBeVisible()
  await expect(page.getByText('Object storage')).toBeHidden()
  await page.getByText('1 unchanged', { exact: true }).click()
  await expect(page.getByText('Object storage')).toBeVisible()
  await expectGood(page)
  const { name, rows } = await saved(page, exported(page, 'CSV'))
  expect(name).toBe('SEP to OCT.csv')
  expect(rows.map((row) => [row.change, row.description, row.effectAmount])).toEqual([
    ['gone', 'Support', '-50.00'],
    ['changed', 'Compute', '22.00'],
    ['added', "'=Logs", '13.00'],
    ['unchanged', 'Object storage', '0.00'],
    ['notItemized', '', '12.34'],
    ...['Support', 'Compute', 'Compute', "'=Logs", ''].map((product) => ['cause', product, '']),
  ])
  await page.getByRole('link', { name: 'Swap' }).click()
  await expect(page).toHaveURL('/invoices/compare?from=OCT&to=SEP')
  await expect(differences(page).getByRole('row').last()).toContainText('+2.66')
  expect(pageErrors).toEqual([])
})

test('another invoice of the platform can be chosen, by keyboard too', async ({ page }) => {
  await signIn(page, people.finance, '/invoices/SEP')
  await page.getByRole('link', { name: 'Compare with another' }).click()
  await expect(page).toHaveURL('/invoices/compare?to=SEP')
  await expect(page.getByText('Choose what to compare SEP with')).toBeVisible()
  const from = page.getByLabel('From')
  await expect(from.getByRole('option')).toHaveText(['Choose an invoice', /^OCT · 31 Oct 2026/, /^SEP · /])
  await from.focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL('/invoices/compare?from=OCT&to=SEP')
  await expect(from).toHaveValue('OCT')
})

test('a comparison of 1,000 lines shows the largest, and collapses the others and the unchanged', {
  tag: '@deep',
}, async ({ page }) => {
  await signIn(page, people.finance, '/invoices/compare?from=BIG-SEP&to=BIG-OCT')
  await expect(differences(page).locator('tbody tr')).toHaveCount(50)
  await expect(differences(page).getByRole('row', { name: /10 smaller differences, below/ })).toContainText(
    '+10.00',
  )
  await expect(page.getByText('940 unchanged', { exact: true })).toBeVisible()
  await expect(page.getByText('Service 999')).toBeHidden()
  await page.goto('/invoices/compare?from=BIG-OCT&to=BIG-OCT')
  await expect(page.getByText('No line is different')).toBeVisible()
})

test('an impossible comparison shows its reason; a foreign invoice is not found', async ({ page }) => {
  await signIn(page, people.finance, '/invoices/compare?from=OCT-WEB&to=OCT')
  await expect(page.getByText('OCT-WEB is web-services, OCT is cloud-platform')).toBeVisible()
  await expectGood(page)
  expect((await page.goto('/invoices/compare?from=NONE&to=OCT'))?.status()).toBe(404)
  await page.goto('/invoices/compare')
  await expect(page.getByText('Select an invoice to compare')).toBeVisible()
  await page.goto('/invoices/compare?to=OCT-WEB')
  await expect(page.getByText('There is nothing to compare OCT-WEB with')).toBeVisible()
  await page.context().clearCookies()
  await giveSession(page.context(), people.other)
  expect((await page.goto('/invoices/compare?from=SEP&to=OCT'))?.status()).toBe(404)
  await page.context().clearCookies()
  await signIn(page, people.it, '/invoices/compare?from=SEP&to=OCT')
  await expect(page.getByText('This page needs the role Finance User')).toBeVisible()
})

test('a comparison fits on a phone', async ({ page }) => {
  await page.setViewportSize(PHONE)
  await signIn(page, people.finance, '/invoices/compare?from=SEP&to=OCT')
  await expect(differences(page).getByText('100 × 0.50 → 120 × 0.60')).toBeVisible()
  await expectGood(page)
})

test('the lists export their visible rows', async ({ page }) => {
  await signIn(page, people.finance, '/invoices?filter=platform:own-slug|web-services')
  const invoices = await saved(page, exported(page, 'Invoices, CSV'))
  expect(invoices.name).toMatch(sinceThen((days) => `invoices-${day(days)}.csv`))
  expect(invoices.rows.map(({ id }) => id)).toEqual(['OCT-WEB', 'BIG-OCT', 'BIG-SEP'])
  const lines = await saved(page, exported(page, 'Line items, CSV'))
  expect(lines.rows).toHaveLength(2001)
  const [workbook] = await Promise.all([
    page.waitForEvent('download'),
    exported(page, 'Line items, Excel (XLSX)')(),
  ])
  expect(workbook.suggestedFilename()).toMatch(/^invoice-lines-.*\.xlsx$/)
  const { sheets } = await readXlsx(readFileSync(await workbook.path()))
  // The header, the lines, a blank row and the sum of the currency.
  expect(sheets.map(({ name, rows }) => [name, rows.length])).toEqual([['Line items', 2004]])
  await page.getByRole('button', { name: 'Export' }).click()
  await expectGood(page)
  await page.context().clearCookies()
  await signIn(page, people.it, '/assets?search=nothing')
  const assets = await saved(page, exported(page, 'CSV'))
  expect([assets.name.slice(0, 7), assets.rows]).toEqual(['assets-', []])
})
