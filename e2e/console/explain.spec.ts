import { readFileSync } from 'node:fs'
import { expect, type Page } from '@playwright/test'
import { parse } from 'csv-parse/sync'
import { invoice, newCustomer } from '../admin.ts'
import { expectAccessible, expectAccessibleAtBoth, expectGood } from '../axe-checks.ts'
import { complaints, exported, PHONE, signIn, waitForRows } from '../browser.ts'
import { test } from '../reused-page.ts'

const SEP = { invoiceDate: '2026-09-30', dueDate: '2026-10-30', platform: 'workspace-suite' }
const OCT = { invoiceDate: '2026-10-31', dueDate: '2026-11-30', platform: 'workspace-suite' }
const line = (description: string, price: string, qty = '1') => ({ description, price, qty })
const many = (count: number, price: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => line(`Service ${index}`, price(index)))

const people = { finance: '', it: '', none: '', taxed: '' }

test.beforeAll(async () => {
  const customer = await newCustomer('explain')
  await customer.profile('emea', 'Explain Europe B.V.')
  await customer.importInvoices([
    invoice('SEP', {
      ...SEP,
      totalAmount: '1218.44',
      lines: [line('Business Plus', '22.47', '52'), line('Archive', '50')],
    }),
    invoice('OCT', {
      ...OCT,
      totalAmount: '1415.2',
      lines: [line('Business Plus', '23', '60'), line('=Support', '35.2')],
    }),
    invoice('CN', {
      ...OCT,
      invoiceDate: '2026-10-10',
      totalAmount: '-12.5',
      lines: [line('Outage', '-12.5')],
    }),
    ...['2026-09-30', '2026-10-31'].map((invoiceDate, n) =>
      invoice(`BIG-${n}`, {
        billingProfileId: 'emea',
        platform: 'web-services',
        invoiceDate,
        dueDate: '2026-12-31',
        currency: 'HUF',
        totalAmount: `${123_456_789_000 + n * 1830}.40`,
        lines: [line('Base', '123456789000.4'), ...many(60, (index) => String(n * (index + 1)))],
      }),
    ),
  ])
  people.finance = await customer.member('Fin Clerk', 'finance-user')
  people.it = await customer.member('Ida Tech', 'it-manager')
  const taxed = await newCustomer('explainedtax')
  const bill = (id: string, day: typeof SEP, price: string, more: object) =>
    invoice(id, { ...day, currency: 'EUR', lines: [line('Business Plus', price, '10')], ...more })
  await taxed.importInvoices([
    bill('T-AUG', { ...SEP, invoiceDate: '2026-08-31' }, '11.9', { totalAmount: '119', taxAmount: '19' }),
    bill('T-SEP', SEP, '10', { totalAmount: '119', netAmount: '100', taxAmount: '19' }),
    bill('T-OCT', OCT, '12', { totalAmount: '142.8', netAmount: '120', taxAmount: '22.8' }),
  ])
  people.taxed = await taxed.member('Tara Taxed', 'finance-user')
  const none = await newCustomer('unexplained')
  people.none = await none.member('Nora None', 'finance-user')
})

const causes = (page: Page, currency: string) =>
  page.getByRole('table', { name: `Causes in ${currency}`, exact: true })

test('October’s explanation is one click from the invoices, and adds up', async ({ page }) => {
  const pageErrors = complaints(page)
  await signIn(page, people.finance, '/invoices')
  await page
    .getByRole('link', { name: /^Explain: ?.*% on September$/ })
    .first()
    .click()
  // With several currencies, each figure links to its own explanation.
  await expect(page).toHaveURL('/invoices/explain?month=2026-10&filter=currency:USD')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('October 2026 vs. September')
  await expect(page.getByText('Excludes drafts and voided invoices')).toBeVisible()
  await expect(causes(page, 'USD').getByRole('row')).toHaveText([
    /Product.*Platform.*Cause.*Difference/,
    /Business Plus.*Licenses \+8.*52 → 60.*\+179\.76$/,
    /Business Plus.*Price.*22\.47 → 23\.00 for one.*\+31\.80$/,
    /Archive.*Removed.*−50\.00$/,
    /=Support.*New.*\+35\.20$/,
    /Outage.*Credit or discount.*−12\.50$/,
    /Difference, USD.*\+184\.26$/,
  ])
  await expect(causes(page, 'USD').getByRole('rowheader', { name: /^Archive/ })).toBeVisible()
  const [download] = await Promise.all([page.waitForEvent('download'), exported(page, 'CSV')()])
  expect(download.suggestedFilename()).toBe('explanation-2026-10.csv')
  const rows: Record<string, string>[] = parse(readFileSync(await download.path(), 'utf8'), {
    ...{ bom: true, columns: true },
  })
  const dollars = rows.filter(({ currency }) => currency === 'USD')
  expect(dollars.map(({ effectAmount }) => effectAmount)).toEqual([
    ...['179.76', '31.80', '-50.00', '35.20', '-12.50'],
  ])
  await page.getByRole('link', { name: '2 invoices in USD, October 2026' }).click()
  await expect(page.getByRole('link', { name: /^(OCT|CN)/ })).toHaveCount(2)
  expect(pageErrors).toEqual([])
})

test('tax outside the lines is listed separately, and causes state whether they include tax', async ({
  page,
}) => {
  await signIn(page, people.taxed, '/invoices/explain?month=2026-10')
  await expect(causes(page, 'EUR').getByRole('row')).toHaveText([
    /Product/,
    /Business Plus.*Price.*10\.00 → 12\.00 for one.*\+20\.00$/,
    /Tax.*Of lines that are billed without it.*\+3\.80$/,
    /Difference, EUR.*\+23\.80$/,
  ])
  await expect(page.getByText('Causes exclude tax, like the lines of these invoices')).toBeVisible()
  await expectGood(page)
  await page.setViewportSize(PHONE)
  await expectGood(page)
  await page.goto('/invoices/explain?month=2026-09')
  await expect(page.getByText('Causes include tax where an invoice’s lines do')).toBeVisible()
  await page.goto('/invoices/explain?month=2026-08')
  await expect(page.getByText('Causes are with tax, as the lines of these invoices are.')).toBeVisible()
  await page.goto('/invoices/compare?from=T-SEP&to=T-OCT')
  await expect(page.getByRole('row', { name: /^Tax 19\.00 → 22\.80 \+3\.80$/ })).toBeVisible()
})

test('months and filters are chosen, by keyboard too, and stay in the address', async ({ page }) => {
  await signIn(page, people.finance, '/invoices/explain?filter=currency:USD')
  await expect(page).toHaveURL('/invoices/explain?month=2026-10&filter=currency:USD')
  await expect(page.getByRole('region', { name: 'HUF' })).toHaveCount(0)
  // An element focused while the page is still loading would lose the focus.
  await expect(causes(page, 'USD')).toBeVisible()
  await waitForRows(page)
  const month = page.getByLabel('Month', { exact: true })
  await month.focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL('/invoices/explain?month=2026-09&filter=currency%3AUSD')
  await expect(causes(page, 'USD').getByRole('row')).toHaveText([/Product/, /New/, /New/, /Difference/])
  await page.getByRole('link', { name: 'Month after: October 2026' }).click()
  await expect(page).toHaveURL('/invoices/explain?month=2026-10&filter=currency:USD')
  await page.getByRole('button', { name: 'Remove filter: USD' }).click()
  await expect(page.getByRole('region', { name: 'HUF' })).toBeVisible()
})

test('many causes are collapsed, and summed by kind', async ({ page }) => {
  await signIn(page, people.finance, '/invoices/explain?month=2026-10&filter=currency:HUF')
  const glance = page.getByRole('table', { name: 'HUF at a glance' })
  await expect(glance.getByRole('row').last()).toHaveText(/Web services\s*Amount\s*60 products\s*\+1,830\.00/)
  await expect(causes(page, 'HUF').locator('tbody tr')).toHaveCount(15)
  await page.getByText('45 more causes', { exact: true }).click()
  await expect(page.getByRole('table', { name: '45 more causes' }).locator('tbody tr')).toHaveCount(45)
  await expectGood(page)
})

test('an empty month, an invalid address, a new customer, and another role each have their page', async ({
  page,
}) => {
  await signIn(page, people.finance, '/invoices/explain?month=2020-02')
  await expect(page.getByText('No invoices of January or February 2020')).toBeVisible()
  await page.getByRole('link', { name: 'Explain the newest month' }).click()
  await expect(page).toHaveURL('/invoices/explain?month=2026-10')
  await page.goto('/invoices/explain?month=2026-13')
  await expect(page.getByText('month: must be a month, as in 2026-10')).toBeVisible()
  await page.context().clearCookies()
  await signIn(page, people.none, '/invoices/explain')
  await expect(page.getByText('No invoice yet')).toBeVisible()
  await page.goto('/invoices/compare')
  await expect(page.getByText('No invoice yet')).toBeVisible()
  await page.context().clearCookies()
  await signIn(page, people.it, '/invoices/explain?month=2026-10')
  await expect(page.getByText('This page needs the role Finance User or Admin.')).toBeVisible()
})

test('a comparison without parameters redirects, and an explanation names the causes', async ({ page }) => {
  await signIn(page, people.finance, '/invoices/compare')
  await page.getByLabel('Invoice', { exact: true }).selectOption('OCT')
  await page.getByRole('button', { name: 'Choose' }).click()
  await expect(page).toHaveURL('/invoices/compare?to=OCT')
  await page.getByLabel('From').selectOption('SEP')
  await page.getByRole('button', { name: 'Compare' }).click()
  await expect(page.getByRole('row', { name: /Business Plus/ })).toContainText(
    'Licenses +8: +179.76 (52 → 60)Price: +31.80 (22.47 → 23.00 for one)',
  )
  await expectGood(page)
})

test('an explained month is good on a desk, on a phone and on a wide screen', { tag: '@deep' }, async ({
  page,
}) => {
  const problems = complaints(page)
  await signIn(page, people.finance, '/invoices/explain?month=2026-10')
  await expect(page.getByRole('region', { name: 'HUF' })).toBeVisible()
  await expectAccessibleAtBoth(page)
  await page.setViewportSize({ width: 2560, height: 1200 })
  await expectAccessible(page)
  expect(problems).toEqual([])
})
