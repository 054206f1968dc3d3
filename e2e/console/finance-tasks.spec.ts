import { readFileSync } from 'node:fs'
import { expect, type Locator, type Page, test } from '@playwright/test'
import { readPages } from '#lib/platform/pdf/test-read.ts'
import { invoice, newCustomer } from '../admin.ts'
import { expectGood } from '../axe-checks.ts'
import { addFilter, signIn, waitForRows } from '../browser.ts'
import { clicksOf, countClicks } from '../clicks.ts'
import { day, dayLabel, monthBefore } from '../days.ts'

// Month-end tasks of a finance clerk, each starting from the invoices: docs/evidence/clicks.md has the paths. Two of them
// start from home, in journeys.spec.ts.

const MAX_CLICKS = 3
const people = { finance: '', credited: '' }

/** Returns a day of the month, some months before the present one. */
function inMonth(months: number, date: number): string {
  const first = monthBefore(months)
  return new Date(first.getTime() + (date - 1) * 86_400_000).toISOString().slice(0, 10)
}
const monthName = (months: number) =>
  monthBefore(months).toLocaleString('en', { month: 'long', timeZone: 'UTC' })
/** Day in the second month of the calendar quarter before this one. */
const QUARTER = inMonth((new Date(day(0)).getUTCMonth() % 3) + 2, 10)
const YEAR = Number(day(0).slice(0, 4))
const line = (description: string, price: string, qty = '1', more: object = {}) => ({
  description,
  price,
  qty,
  ...more,
})
const old = { invoiceDate: `${YEAR - 1}-01-31`, dueDate: `${YEAR - 1}-03-02`, balanceAmount: '0' }

test.beforeAll(async () => {
  const customer = await newCustomer('clerk')
  await customer.profile('europe', 'Clerk Europe B.V.')
  const dated = (invoiceDate: string, dueDate: string) => ({ invoiceDate, dueDate })
  const europe = { billingProfileId: 'europe', currency: 'EUR', issuer: 'Cloud B.V.' }
  await customer.importInvoices([
    invoice('EU-LATE', { ...europe, ...dated(inMonth(2, 3), day(-12)), totalAmount: '250.5' }),
    invoice('EU-PAID', { ...europe, ...old, totalAmount: '99' }),
    invoice('QUARTER', {
      ...dated(QUARTER, day(0)),
      totalAmount: '70',
      balanceAmount: '0',
      lines: [line('Backup vault', '20', '2'), line('Audit log', '30')],
    }),
    invoice('BEFORE', {
      ...dated(inMonth(2, 20), day(0)),
      totalAmount: '41000',
      balanceAmount: '0',
      lines: [line('Compute, large', '41000')],
    }),
    invoice('SOON-77', {
      ...dated(inMonth(1, 20), day(10)),
      totalAmount: '41230',
      lines: [
        line('Compute, large', '41000'),
        line('Backup vault', '23', '10', {
          periodStart: inMonth(1, 1),
          periodEnd: inMonth(0, 1),
        }),
      ],
      taxBreakdown: [{ taxCategory: 'Z', taxRate: '0', taxableAmount: '41230', taxAmount: '0' }],
    }),
    invoice('SMALL', { ...old, totalAmount: '10000' }),
  ])
  people.finance = await customer.member('Fin Clerk', 'finance-user')
  // Of a separate customer: in January its row is in the newest month.
  const credited = await newCustomer('credited')
  await credited.importInvoices([
    invoice('CREDIT', { ...dated(`${YEAR}-01-01`, `${YEAR}-01-31`), totalAmount: '-15', balanceAmount: '0' }),
    invoice('CREDIT-OLD', { ...old, totalAmount: '-25' }),
    invoice('OTHER', { ...old, totalAmount: '25' }),
  ])
  people.credited = await credited.member('Cora Credit', 'finance-user')
})

/** Tasks that open their first screen themselves. */
const ELSEWHERE = { annotation: { type: 'starts elsewhere' } }
test.beforeEach(async ({ page }, { annotations }) => {
  await countClicks(page)
  if (annotations.length > 0) return
  await signIn(page, people.finance, '/invoices')
  await waitForRows(page)
})
test.afterEach(async ({ page }) => {
  expect(await clicksOf(page)).toBeLessThanOrEqual(MAX_CLICKS)
})

const outstandingStat = (page: Page, currency: string) =>
  page.getByRole('table', { name: 'Figures per currency' }).getByRole('row', { name: currency })
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name })

/** Expects the list to have the invoices with these numbers. */
function expectRows(page: Page, numbers: string[]) {
  const links = page
    .getByRole('table', { name: /^Invoices/ })
    .getByRole('rowheader')
    .getByRole('link')
  return expect(links).toHaveText(numbers)
}

async function download(page: Page, link: Locator): Promise<{ name: string; bytes: Buffer }> {
  const [file] = await Promise.all([page.waitForEvent('download'), link.click()])
  return { name: file.suggestedFilename(), bytes: readFileSync(await file.path()) }
}

test('1: the overdue invoices of the European company', async ({ page }) => {
  await page.getByRole('link', { name: '250.50 EUR' }).click()
  await expectRows(page, ['EU-LATE'])
  await expect(page.getByText('Clerk Europe B.V.')).not.toHaveCount(0)
  expect(await clicksOf(page)).toBe(1)
})

test('4: the invoice with a known part of its number', async ({ page }) => {
  await page.getByRole('searchbox').click()
  await page.keyboard.type('oon-7')
  await expectRows(page, ['SOON-77'])
  expect(await clicksOf(page)).toBe(1)
})

test('5: the amounts due in the next 30 days, per currency', async ({ page }) => {
  await button(page, 'Figures').click()
  await expect(outstandingStat(page, 'USD').getByRole('cell').nth(3)).toContainText('41,230.00')
  await expect(outstandingStat(page, 'EUR').getByRole('cell').nth(3)).toContainText('0.00')
  expect(await clicksOf(page)).toBe(1)
  await outstandingStat(page, 'USD').getByRole('link', { name: 'Due in 30 days' }).click()
  await expectRows(page, ['SOON-77'])
})

test('6: the purchase order of a billing profile', async ({ page }) => {
  await page.getByRole('link', { name: 'Billing profiles' }).click()
  await button(page, 'Edit Clerk Europe B.V.').click()
  await expect(page.getByLabel('Purchase order')).toBeFocused()
  await page.keyboard.type('PO-4711')
  await button(page, 'Save').click()
  const profile = page.getByRole('listitem').filter({ hasText: 'Clerk Europe B.V.' })
  await expect(profile.locator('dd').first()).toHaveText('PO-4711')
  expect(await clicksOf(page)).toBe(3)
})

test('7: an invoice as PDF', async ({ page }) => {
  await page.getByRole('link', { name: 'SOON-77' }).click()
  const { bytes } = await download(page, page.getByRole('link', { name: 'Download PDF' }))
  const texts = readPages(bytes).flatMap((runs) => runs.map(({ text }) => text))
  expect(texts).toContain('41,230.00 USD')
  expect(await clicksOf(page)).toBe(2)
})

test('8: all credit notes of this year', ELSEWHERE, async ({ page }) => {
  await signIn(page, people.credited, '/invoices')
  await button(page, 'Credit notes').click()
  await expectRows(page, ['CREDIT', 'CREDIT-OLD'])
  await expectGood(page)
  await button(page, /^Invoice date/).click()
  await button(page, 'This year').click()
  await expectRows(page, ['CREDIT'])
  // Status and credit notes are exclusive.
  await expect(button(page, 'Credit notes')).toHaveAttribute('aria-pressed', 'true')
  expect(await clicksOf(page)).toBe(3)
})

test('9: the invoices with a product, and its costs by month', async ({ page }) => {
  await addFilter(page, 'Product')
  await expect(page.getByRole('textbox', { name: 'Product' })).toBeFocused()
  await page.keyboard.type('BACKUP')
  await page.keyboard.press('Enter')
  const months = page.getByRole('table', { name: 'Backup vault in USD, by month' })
  await expect(months.getByRole('row').nth(1)).toContainText(monthName(1))
  await expect(months.getByRole('row').nth(1)).toContainText('230.00')
  await expect(months.getByRole('row').nth(2)).toContainText('40.00')
  await expectRows(page, ['SOON-77', 'QUARTER'])
  await expectGood(page)
  expect(await clicksOf(page)).toBe(2)
  await months.getByRole('link', { name: `of ${monthName(1)}` }).click()
  await expectRows(page, ['SOON-77'])
})

test('9, by the search: a product search among numbers is redirected to the product filter', async ({
  page,
}) => {
  await page.getByRole('searchbox').click()
  await page.keyboard.type('backup')
  await button(page, 'Search in products').click()
  await expectRows(page, ['SOON-77', 'QUARTER'])
  await expect(page.getByRole('searchbox')).toHaveValue('')
  expect(await clicksOf(page)).toBe(2)
})

test('10: the invoices above 10,000 USD, and their open amounts', async ({ page }) => {
  await addFilter(page, 'Amount')
  await expect(page.getByLabel('From', { exact: true })).toBeFocused()
  await page.keyboard.type('10000.01 USD')
  await page.keyboard.press('Enter')
  await expectRows(page, ['SOON-77', 'BEFORE'])
  await expect(button(page, 'Currency: USD')).toBeVisible()
  expect(await clicksOf(page)).toBe(2)
})

test(
  '8 and 10 from home: the palette finds this year’s credit notes, and parses a currency',
  ELSEWHERE,
  async ({ page }) => {
    await signIn(page, people.credited, '/')
    await button(page, /^Search/).click()
    await page.getByRole('combobox').fill('credit')
    await page.getByRole('option', { name: /^Credit notes of this year/ }).click()
    await expectRows(page, ['CREDIT'])
    await expect(button(page, 'Invoice date: This year')).toBeVisible()
    expect(await clicksOf(page)).toBe(2)

    // A page whose session has ended redirects to the sign-in page.
    await page.goto('about:blank')
    await page.context().clearCookies()
    await signIn(page, people.finance, '/')
    await page.evaluate(() => sessionStorage.removeItem('clicks'))
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Invoices' }).click()
    await waitForRows(page)
    await addFilter(page, 'Amount')
    await expect(page.getByLabel('From', { exact: true })).toBeFocused()
    await page.keyboard.type('10,000.01 GBP')
    await expect(page.getByText('No amounts in GBP.')).toBeVisible()
    await page.getByLabel('From', { exact: true }).fill('10,000.01 usd')
    await page.keyboard.press('Enter')
    await expectRows(page, ['SOON-77', 'BEFORE'])
    await expect(button(page, 'Currency: USD')).toBeVisible()
    expect(await clicksOf(page)).toBe(3)
  },
)

test('11: the statement of account', async ({ page }) => {
  await page.getByRole('link', { name: 'Statement' }).click()
  const ageing = page.getByRole('table', { name: 'What is open, by days past due' })
  await expect(ageing.getByRole('row', { name: 'Clerk Europe B.V.' })).toContainText('250.50 EUR')
  expect(await clicksOf(page)).toBe(1)
})

test('12: tax by rate, and the service period of a line', async ({ page }) => {
  await page.getByRole('link', { name: 'SOON-77' }).click()
  const vault = page.getByRole('row', { name: 'Backup vault' })
  await expect(vault).toContainText(dayLabel(inMonth(1, 1)).split(' ').slice(0, 2).join(' '))
  const tax = page.getByRole('table', { name: 'Tax' })
  await expect(tax).toContainText('41,230.00')
  expect(await clicksOf(page)).toBe(1)
})
