import { expect } from '@playwright/test'
import { invoice, newCustomer } from '../admin.ts'
import { expectGood } from '../axe-checks.ts'
import { PHONE, signIn } from '../browser.ts'
import { day } from '../days.ts'
import { test } from '../reused-page.ts'

let finance = ''

test.beforeAll(async () => {
  const customer = await newCustomer('currencies')
  const one = (id: string, currency: string, amount: string, age: number) =>
    invoice(id, {
      invoiceDate: day(-age),
      dueDate: day(9),
      currency,
      totalAmount: amount,
      lines: [{ description: 'Compute', price: amount, qty: '1' }],
    })
  await customer.importInvoices([
    one('HU-1', 'HUF', '1234.56', 1),
    one('PK-1', 'PKR', '0.45', 2),
    one('KW-1', 'KWD', '7.5', 3),
    one('US-1', 'USD', '10.005', 4),
    one('US-2', 'USD', '9999999999999.99', 5),
  ])
  finance = await customer.member('Fin Clerk', 'finance-user')
})

const EXPECTED = [
  ['HU-1', '1,234.56', 'HUF'],
  ['PK-1', '0.45', 'PKR'],
  ['KW-1', '7.500', 'KWD'],
  ['US-2', '9,999,999,999,999.99', 'USD'],
] as const

test('an amount is the same on list, invoice and statement, in each currency', async ({ page }) => {
  await signIn(page, finance, '/invoices')
  for (const [id, amount, currency] of EXPECTED) {
    const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: id }) })
    await expect(row.getByText(`${amount} ${currency}`).filter({ visible: true })).toHaveCount(2)
  }
  for (const [id, amount, currency] of EXPECTED) {
    await page.goto(`/invoices/${id}`)
    const amounts = page.getByRole('definition').filter({ hasText: `${amount} ${currency}` })
    // Total and balance at the top, balance at the bottom.
    await expect(amounts).toHaveCount(3)
    const line = page.getByRole('row', { name: /Compute/ })
    await expect(line.getByRole('cell').filter({ hasText: amount })).not.toHaveCount(0)
  }
  await page.goto('/invoices/statement')
  for (const [, amount] of EXPECTED)
    await expect(page.getByText(amount, { exact: true }).first()).toBeVisible()
})

test('a balance that cannot be paid exactly is shown separately from the amount due', async ({ page }) => {
  await signIn(page, finance, '/invoices/US-1')
  const definition = (term: string) =>
    page.locator('dl > div').filter({ has: page.getByText(term, { exact: true }) })
  await expect(definition('Exact balance')).toHaveText('Exact balance10.005')
  await expect(definition('Rounding')).toHaveText('Rounding0.005')
  for (const index of [0, 1])
    await expect(definition('Balance due').nth(index)).toHaveText('Balance due10.01 USD')
  await expect(page.getByText('The exact balance is 10.005 USD. No amount below 0.01')).toBeVisible()
  await expectGood(page)
  await page.setViewportSize(PHONE)
  await expectGood(page)
})
