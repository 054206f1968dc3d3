import { expect } from '@playwright/test'
import { newCustomer } from '../admin.ts'
import { expectGood } from '../axe-checks.ts'
import { PHONE, signIn } from '../browser.ts'
import { test } from '../reused-page.ts'

// Both FOCUS datasets of docs/focus-1.4, which are our own: an invoice that matches its charges, and one with planted
// differences; and a line with many charges.

const CSV_HEADER =
  'InvoiceIssuerName,InvoiceId,InvoiceDetailId,BillingAccountId,BillingPeriodStart,BillingPeriodEnd,ServiceProviderName,ServiceName,ChargeDescription,ChargeCategory,BilledCost,BillingCurrency'
const many = Array.from(
  { length: 45 },
  (_, n) => `Fernhill,F-1,X,A,2026-09-01,2026-10-01,Fernhill,Compute,Hour ${n + 1},Usage,${n + 1},USD`,
)

let customer: Awaited<ReturnType<typeof newCustomer>>
let finance = ''
let it = ''
test.beforeAll(async () => {
  customer = await newCustomer('charges')
  await customer.importFocusFiles(['docs/focus-1.4'], '--tag', 'team')
  await customer.importFocus([CSV_HEADER, ...many].join('\n'))
  finance = await customer.member('Fin Clerk', 'finance-user')
  it = await customer.member('Ida Tech', 'it-manager')
})

test('an invoice that matches its charges is marked, and a line expands to its charges', async ({ page }) => {
  await signIn(page, finance, '/invoices/NC-2026-1001')
  const section = page.getByRole('region', { name: 'Charges' })
  await expect(section).toContainText('Each line equals the sum of its charges: 12 charges of 589.15 USD.')
  await expect(section.getByRole('row', { name: /^Tax/ })).toContainText('44.15')
  await expect(section.getByRole('button', { name: /without a line/ })).toHaveCount(0)
  await page.getByRole('button', { name: '4 charges of Compute, Zurich' }).press('Enter')
  const compute = page.getByRole('table', { name: 'Charges of Compute, Zurich' })
  await expect(compute.getByRole('row')).toHaveCount(5)
  await expect(compute).toContainText('Sub-account web-prod')
  await expect(compute).toContainText('team: web')
  await page
    .getByRole('button', { name: '1 charge, 1 correction among them of Correction of September' })
    .click()
  const correction = page.getByRole('table', { name: 'Charges of Correction of September' })
  await expect(correction).toContainText('1 Sep 2026 – 30 Sep 2026')
  await expect(correction.getByText('Correction', { exact: true })).toBeVisible()
  await expect(page.getByText('To be paid as 363.00 CHF')).toBeVisible()
  await expectGood(page)
  await page.getByRole('button', { name: '4 charges of Compute, Zurich' }).click()
  await expect(compute).toHaveCount(0)
})

test('planted differences are found on the line, among charges without a line, and in total', async ({
  page,
}) => {
  await page.setViewportSize(PHONE)
  await signIn(page, finance, '/invoices/NC-2026-1002')
  const section = page.getByRole('region', { name: 'Charges' })
  await expect(section).toContainText(
    'The total is 87.40 EUR more than the 5 charges of 273.65 EUR: 1 line differs from its charges by +12.40 EUR; 2 charges of 5.00 EUR lead to no line; 1 line of 80.00 EUR has no charges.',
  )
  const line = page
    .getByRole('table', { name: 'Line items' })
    .getByRole('row', { name: /Compute, Frankfurt/ })
  await expect(line).toContainText('12.40 EUR more than its charges')
  await expect(page.getByRole('row', { name: /Reserved capacity/ })).toContainText('No charges lead to it')
  await line.getByRole('button').click()
  await section.getByRole('button', { name: '2 charges without a line' }).click()
  await expect(page.getByRole('table', { name: '2 charges without a line' })).toContainText('Log queries')
  await expectGood(page)
})

test('many charges are paginated, and can be exported as one file', async ({ page }) => {
  await signIn(page, finance, '/invoices/F-1')
  const section = page.getByRole('region', { name: 'Charges' })
  await section.getByRole('button', { name: '45 charges' }).click()
  const table = page.getByRole('table', { name: '45 charges' })
  await expect(table.getByRole('row')).toHaveCount(21)
  await expect(table).toContainText('Hour 45')
  await page.getByRole('button', { name: 'Next', exact: true }).click()
  await expect(table).toContainText('Hour 25')
  await page.getByRole('button', { name: 'Next', exact: true }).click()
  await expect(table.getByRole('row')).toHaveCount(6)
  await expect(page.getByRole('button', { name: 'Next', exact: true })).toBeDisabled()
  await page.getByRole('button', { name: 'Previous', exact: true }).click()
  await expect(table).toContainText('Hour 25')
  const csv = await page.request.get('/billing/v1/invoices/F-1/charges.csv')
  expect((await csv.text()).trim().split('\r\n')).toHaveLength(46)
  await expectGood(page)
})

test('a member without access to invoices gets no charges', async ({ page }) => {
  await signIn(page, it, '/invoices/NC-2026-1001')
  await expect(page.getByRole('region', { name: 'Charges' })).toHaveCount(0)
  expect((await page.request.get('/billing/v1/invoices/NC-2026-1001/charges')).status()).toBe(403)
})
