import { createHash } from 'node:crypto'
import { expect, type Page } from '@playwright/test'
import { parse } from 'csv-parse/sync'
import { invoice, newCustomer } from '../admin.ts'
import { openSummary, signIn } from '../browser.ts'
import { monthBefore } from '../days.ts'
import { test } from '../reused-page.ts'

// Amounts owed after each step of an invoice's life: the list, the sums, the statement, both CSV files and the screen
// agree, and the documents of issued invoices stay byte-identical.

let customer: Awaited<ReturnType<typeof newCustomer>>
let finance: string
test.beforeAll(async () => {
  customer = await newCustomer('debt')
  finance = await customer.member('Deb Finance', 'finance-user')
})

const day = (date: Date) => date.toISOString().slice(0, 10)
/** Present and previous billing period. */
const RUNS = { start: day(monthBefore(0)), end: day(monthBefore(-1)) }
const OVER = { start: day(monthBefore(1)), end: day(monthBefore(0)) }
const CSV_HEADER =
  'InvoiceIssuerName,BillingAccountId,BillingPeriodStart,BillingPeriodEnd,BillingCurrency,ProviderName,ServiceName,ChargeCategory,BilledCost,InvoiceId'
const charge = (cost: string, { start, end } = OVER, id = '') =>
  `AWS,A-1,${start},${end},USD,AWS,Compute,Usage,${cost},${id}`
const focus = (...rows: string[]) => [CSV_HEADER, ...rows].join('\n')
const issued = (number: string, totalAmount: string, more: object = {}) =>
  invoice(number, { issuer: 'Cloud Resale Ltd', dueDate: '2099-01-31', totalAmount, ...more })

type Row = { id: string; balanceAmount: number; documentState: string }

async function json(page: Page, path: string) {
  const answer = await page.request.get(`/billing/v1/${path}`)
  expect(answer.status()).toBe(200)
  return answer.json()
}

async function csv(page: Page, path: string): Promise<Record<string, string>[]> {
  const answer = await page.request.get(`/billing/v1/${path}`)
  return parse(await answer.text(), { columns: true, bom: true })
}

const sum = (amounts: (number | string)[]) =>
  amounts.reduce<number>((cents, amount) => cents + Math.round(Number(amount) * 100), 0) / 100

/** Returns the owed amount on the screen: the first figure of the only currency. */
async function owedOnScreen(page: Page): Promise<number> {
  await page.goto('/invoices')
  await openSummary(page)
  const stats = page.getByRole('region', { name: 'Figures' })
  // The list never waits for its figures.
  const outstanding = stats.getByRole('row').nth(1).getByRole('cell').first().locator('> span').nth(1)
  await expect(outstanding).toBeVisible()
  return Number((await outstanding.textContent())?.replace(/[^\d.]/g, ''))
}

/** Returns the owed amounts from each answer of the API. */
async function owed(page: Page) {
  const { invoices } = (await json(page, 'invoices?maxResults=250')) as { invoices: Row[] }
  const { currencies } = await json(page, 'invoice-summary')
  const statement = await json(page, 'statement')
  return {
    list: sum(invoices.map(({ balanceAmount }) => balanceAmount)),
    summary: currencies[0]?.balanceAmount,
    statement: statement.currencies[0]?.balanceAmount,
    csv: sum((await csv(page, 'invoices.csv')).map((row) => row.balanceAmount ?? 'x')),
    'statement.csv': sum((await csv(page, 'statement.csv')).map((row) => row.balanceAmount ?? 'x')),
  }
}

async function expectOwed(page: Page, amount: number): Promise<void> {
  expect(await owed(page)).toEqual({
    list: amount,
    summary: amount,
    statement: amount,
    csv: amount,
    'statement.csv': amount,
  })
}

/** Returns the digests of the documents of all invoices that are or were issued, by id. */
async function documents(page: Page): Promise<Record<string, string>> {
  const { invoices } = (await json(page, 'invoices?maxResults=250')) as { invoices: Row[] }
  const digests: Record<string, string> = {}
  for (const { id } of invoices) {
    const file = await page.request.get(`/billing/v1/invoices/${encodeURIComponent(id)}/file`)
    digests[id] = createHash('sha256')
      .update(await file.body())
      .digest('hex')
  }
  return digests
}

test('the debt is right at each step in every answer, and on the screen', async ({ page }) => {
  // Its charges are issued once their month is over, whatever the day is.
  await customer.setIssuer('AWS', '--grace-days', '0', '--unbilled', 'issue')
  await customer.importInvoices([issued('BASE', '1.00')])
  await signIn(page, finance, '/invoices')
  await expectOwed(page, 1)

  // A forecast of the running month is not owed; it grows, and the previous month is billed in parallel.
  await customer.importFocus(focus(charge('10.10', RUNS)))
  await customer.importFocus(focus(charge('10.10', RUNS), charge('9.90', RUNS)))
  await expectOwed(page, 1)
  await customer.importFocus(focus(charge('100.25'), charge('0.25')))
  await expectOwed(page, 101.5)
  expect(await owedOnScreen(page)).toBe(101.5)
  // The same values again, and as two rows with the same sum.
  await customer.importFocus(focus(charge('0.25'), charge('100.25')))
  await expectOwed(page, 101.5)
  // The vendor's own number for that month is not a second debt, in any spelling of the issuer.
  await expect(customer.importFocus(focus(charge('100.60', OVER, 'AWS-1')))).rejects.toThrow('--correct')
  await expectOwed(page, 101.5)
  await customer.importFocus(focus(charge('100.50', OVER, 'AWS-1').replace('AWS,', 'aws,')))
  await expectOwed(page, 101.5)

  // The draft is replaced by the issued invoice of its period.
  await customer.importFocus(focus(charge('20', RUNS, 'AWS-2')))
  await expectOwed(page, 121.5)
  const drafts = await json(page, 'invoices?filter=state:draft')
  expect(drafts.invoices).toEqual([])

  // A second issuer uses the same number.
  await customer.importInvoices([
    invoice('AWS-1', { issuer: 'Other Ltd', dueDate: '2099-01-31', totalAmount: '7' }),
  ])
  await expectOwed(page, 128.5)
  expect(await owedOnScreen(page)).toBe(128.5)

  const before = await documents(page)
  // Paid in part, resent, corrected, credited, voided.
  await customer.importInvoices([issued('BASE', '1.00', { balanceAmount: '0.40' })])
  await expectOwed(page, 127.9)
  await expect(customer.importInvoices([issued('BASE', '3.00', { balanceAmount: '2.40' })])).rejects.toThrow(
    '--correct',
  )
  await customer.importInvoices([issued('BASE', '3.00', { balanceAmount: '2.40' })], '--correct')
  await expectOwed(page, 129.9)
  await customer.importInvoices([issued('CREDIT', '-2.00', { corrects: 'BASE', balanceAmount: '0' })])
  await customer.importInvoices([issued('BASE', '3.00', { balanceAmount: '0.40' })])
  await expectOwed(page, 127.9)
  await customer.importInvoices([issued('BASE', '3.00', { documentState: 'voided', balanceAmount: '0' })])
  await expectOwed(page, 127.5)
  expect(await owedOnScreen(page)).toBe(127.5)

  const after = await documents(page)
  for (const id of Object.keys(after)) if (before[id]) expect([id, after[id]]).toEqual([id, before[id]])
  const voided = (await json(page, 'invoices?filter=state:voided')) as { invoices: Row[] }
  expect(voided.invoices.map(({ balanceAmount }) => balanceAmount)).toEqual(voided.invoices.map(() => 0))
  expect(voided.invoices.map(({ id }) => id)).toEqual(expect.arrayContaining(['BASE~1', 'BASE~2']))
})
