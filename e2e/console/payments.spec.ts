import { expect } from '@playwright/test'
import { invoice, newCustomer } from '../admin.ts'
import { expectAccessibleAtBoth } from '../axe-checks.ts'
import { complaints, PHONE, signIn } from '../browser.ts'
import { day } from '../days.ts'
import { test } from '../reused-page.ts'

let customer: Awaited<ReturnType<typeof newCustomer>>
let finance = ''
const keys = { finance: '', it: '' }

test.beforeAll(async () => {
  customer = await newCustomer('payments')
  await customer.importInvoices([
    invoice('IN-1', { invoiceDate: day(-40), dueDate: day(-10), totalAmount: '100', currency: 'EUR' }),
    invoice('IN-2', { invoiceDate: day(-30), dueDate: day(10), totalAmount: '50', currency: 'EUR' }),
  ])
  const add = (reference: string, amount: string, daysAgo: number, ...rest: string[]) =>
    customer.payments(
      ...['add', '--date', day(-daysAgo), '--amount', amount, '--currency', 'EUR', '--reference', reference],
      ...rest,
    )
  await add('BANK-1', '60', 20, '--invoice', 'IN-1', '--method', 'bank transfer')
  await add('BANK-2', '55', 15, '--invoice', 'IN-2')
  await add('BANK-3', '40', 12, '--invoice', 'IN-1')
  await customer.payments('reverse', 'BANK-3', '--reason', 'returned by the bank', '--date', day(-5))
  finance = await customer.member('Fin Clerk', 'finance-user')
  keys.finance = await customer.key('finance-user')
  keys.it = await customer.key('it-manager')
})

test('an invoice lists its payments, the reversed one with its reason, and offers a copy with them', async ({
  page,
}) => {
  const pageErrors = complaints(page)
  await signIn(page, finance, '/invoices/IN-1')
  const table = page.getByRole('table', { name: 'Payments and credits' })
  await expect(table.getByRole('row', { name: /BANK-1/ })).toContainText('−60.00')
  await expect(table.getByRole('row', { name: /BANK-3/ })).toContainText('returned by the bank')
  await expect(table.getByRole('row', { name: /Balance due/ })).toContainText('40.00 EUR')
  await page.getByRole('button', { name: 'Other files' }).click()
  const [copy] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'With payments and credits' }).click(),
  ])
  expect(copy.suggestedFilename()).toBe('IN-1 (payments).pdf')
  await expectAccessibleAtBoth(page)
  expect(pageErrors).toEqual([])
})

test('the account between two days has its balances, movements and open items, on a phone, too', async ({
  page,
}) => {
  const pageErrors = complaints(page)
  await signIn(page, finance, `/invoices/account?from=${day(-60)}&to=${day(-10)}`)
  const movements = page.getByRole('table', { name: 'Movements in EUR' })
  await expect(movements.getByRole('row').nth(1)).toContainText('Opening balance')
  await expect(movements.getByRole('row', { name: /BANK-2/ }).first()).toContainText('−50.00')
  await expect(movements.getByRole('row').last()).toContainText('−5.00')
  await expect(page.getByText('5.00 EUR of credit is not assigned to an invoice.')).toBeVisible()
  await page.getByLabel('To').fill(day(0))
  await page.getByRole('button', { name: 'Show' }).click()
  await expect(page).toHaveURL(new RegExp(`to=${day(0)}`))
  const open = page.getByRole('table', { name: 'Open items in EUR' })
  await expect(open.getByRole('row', { name: /IN-1/ })).toContainText('40.00')
  await page.setViewportSize(PHONE)
  await expect(open.getByRole('row', { name: /IN-1/ })).toBeVisible()
  await expectAccessibleAtBoth(page)
  expect(pageErrors).toEqual([])
})

test.describe('the API', () => {
  const url = '/billing/v1/payments'
  const bearer = (key: string) => ({ headers: { Authorization: `Bearer ${key}` } })

  test('lists payments to a key with the role, and to no other', async ({ request }) => {
    const answer = await request.get(`${url}?filter=kind:payment|state:recorded`, bearer(keys.finance))
    expect(answer.status()).toBe(200)
    const { payments, rowCount } = await answer.json()
    expect(rowCount).toBe(2)
    expect(payments[0]).toMatchObject({ reference: 'BANK-2', amount: 55, creditAmount: 5 })
    expect((await request.get(url)).status()).toBe(401)
    expect((await request.get(url, bearer(keys.it))).status()).toBe(403)
    expect((await request.get(`${url}?filter=state:lost`, bearer(keys.finance))).status()).toBe(400)
    const otherCustomer = await newCustomer('others')
    const others = await request.get(
      `${url}?filter=invoice:IN-1`,
      bearer(await otherCustomer.key('finance-user')),
    )
    expect(await others.json()).toEqual({ payments: [], rowCount: 0 })
  })

  test('answers the account as JSON, CSV, workbook and PDF', async ({ request }) => {
    for (const [ending, type] of [
      ['', 'application/json'],
      ['.csv', 'text/csv'],
      ['.xlsx', 'application/vnd.openxmlformats'],
      ['.pdf', 'application/pdf'],
    ]) {
      const answer = await request.get(`/billing/v1/account-statement${ending}`, bearer(keys.finance))
      expect([ending, answer.status()]).toEqual([ending, 200])
      expect(answer.headers()['content-type']).toContain(type)
    }
  })
})
