import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as accounts from '#lib/billing/account-statements/operations.ts'
import { assignCredit, recordPayment, reversePayment, writeOff } from '#lib/billing/payments/ledger.ts'
import { listOpenItems } from '#lib/billing/statements/store.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addNewCustomer, callerOf } from '#lib/platform/db/test-rows.ts'
import { DAY_MS, epochOfDay } from '#lib/platform/values/days.ts'
import { Exact } from '#lib/platform/values/decimals.ts'
import { importInvoices } from '../invoices/import.ts'
import type { NewInvoice } from '../schemas.ts'
import { lockImports } from '../sessions/lock.ts'
import { importPayments, readPaymentFile } from './import.ts'

// Three months of a small company, posted and paid day by day, and then reconciled from statements and exports.

let db: TestDatabase
let caller: Caller
let folder: string
beforeAll(async () => {
  db = await testDatabase({ today: '2026-09-01' })
  caller = await callerOf(await addNewCustomer(), 'finance-user')
  folder = await mkdtemp(join(tmpdir(), 'three-months-'))
})
afterAll(async () => {
  await db.close()
  await rm(folder, { recursive: true })
})

const within = <T>(work: (tx: Transaction) => Promise<T>): Promise<T> =>
  scope(caller, async (tx) => {
    await lockImports(tx, caller.customerId)
    return work(tx)
  })
const bill = (number: string, invoiceDate: string, totalAmount: string, more: Partial<NewInvoice> = {}) => {
  const invoice: NewInvoice = {
    ...{
      number,
      invoiceDate,
      totalAmount,
      platform: 'web-services',
      issuer: 'Cloud Resale Ltd',
      currency: 'EUR',
    },
    dueDate: new Date(epochOfDay(invoiceDate) + 14 * DAY_MS).toISOString().slice(0, 10),
    lines: [{ type: 'web-services', description: 'Services', price: totalAmount, qty: '1' }],
    ...more,
  }
  return (tx: Transaction) => importInvoices(tx, caller.customerId, [invoice], { correct: true })
}
type Row = [amount: string, reference: string, text: string, currency?: string]
/** A bank's statement of one day. */
const bank =
  (day: string, ...rows: Row[]) =>
  async (tx: Transaction) => {
    const path = join(folder, `${day}.xml`)
    const entries = rows.map(
      ([
        amount,
        reference,
        text,
        currency = 'EUR',
      ]) => `<Ntry><Amt Ccy="${currency}">${amount}</Amt><CdtDbtInd>CRDT</CdtDbtInd>
      <Sts>BOOK</Sts><ValDt><Dt>${day}</Dt></ValDt><AcctSvcrRef>${reference}</AcctSvcrRef><NtryDtls><TxDtls>
      <RmtInf><Ustrd>${text}</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry>`,
    )
    await writeFile(
      path,
      `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02"><BkToCstmrStmt><Stmt>${entries.join('')}</Stmt></BkToCstmrStmt></Document>`,
    )
    const options = { name: `${day}.xml`, unmatchedAsCredit: true, requestId: randomUUID() }
    // Twice: the second time nothing changes.
    await importPayments(tx, caller.customerId, await readPaymentFile(path), options)
    const again = await importPayments(tx, caller.customerId, await readPaymentFile(path), options)
    expect(again.map(({ result }) => result)).toEqual(rows.map(() => 'unchanged'))
  }
const reverse = (reference: string) => (tx: Transaction) =>
  reversePayment(tx, caller.customerId, { reference, reason: 'returned by the bank' }, 'r')

type Event = (tx: Transaction) => Promise<unknown>
/** Events by day. `check` is a day whose open items are noted, to be compared afterwards. */
const DAYS: [day: string, ...events: Event[]][] = [
  ['2026-09-01', bill('A-1001', '2026-09-01', '1190.00'), bill('A-1002', '2026-09-01', '250.50')],
  ['2026-09-03', bill('J-1', '2026-09-03', '50000', { currency: 'JPY' })],
  ['2026-09-10', bank('2026-09-10', ['1190.00', 'B-01', 'A-1001'], ['20000', 'B-02', 'J-1 part', 'JPY'])],
  ['2026-09-15', bank('2026-09-15', ['100.00', 'B-03', 'part of A-1002'])],
  ['2026-09-18', reverse('B-01')],
  ['2026-09-22', bank('2026-09-22', ['1190.00', 'B-04', 'A-1001 again'], ['75.00', 'B-05', 'deposit'])],
  ['2026-09-30', bill('A-1003', '2026-09-30', '800.00')],
  ['2026-10-01', bill('C-1', '2026-10-01', '-120.00', { corrects: 'A-1003' })],
  ['2026-10-05', bank('2026-10-05', ['680.00', 'B-06', 'A-1003 less C-1'], ['150.00', 'B-07', 'A-1002'])],
  [
    '2026-10-07',
    (tx) => writeOff(tx, caller.customerId, { invoice: 'A-1002', reference: 'W-1', limits: new Map() }, 'r'),
  ],
  ['2026-10-12', bill('A-1004', '2026-10-12', '400.00')],
  ['2026-10-14', bank('2026-10-14', ['300.00', 'B-08', 'A-1004'])],
  // The issuer corrects the document: its payments move to the new one.
  ['2026-10-20', bill('A-1004', '2026-10-12', '380.00')],
  [
    '2026-10-21',
    (tx) => assignCredit(tx, caller.customerId, { reference: 'B-05', invoices: [{ id: 'A-1004' }] }, 'r'),
  ],
  [
    '2026-10-31',
    bill('A-1005', '2026-10-31', '99.99'),
    bill('K-1', '2026-10-31', '12.345', { currency: 'KWD' }),
  ],
  ['2026-11-04', bank('2026-11-04', ['110.00', 'B-09', 'A-1005'], ['12.345', 'B-10', 'K-1', 'KWD'])],
  [
    '2026-11-06',
    (tx) =>
      recordPayment(
        tx,
        caller.customerId,
        {
          ...{ kind: 'refund', paidOn: '2026-11-06', amount: '10.01', currency: 'EUR', reference: 'R-1' },
          ...{ refundOf: 'B-09', invoices: [] },
        },
        'r',
      ),
  ],
  // Balances as the issuer reports them: one falls, and rises again.
  ['2026-11-10', bill('J-1', '2026-09-03', '50000', { currency: 'JPY', balanceAmount: '10000' })],
  ['2026-11-14', bill('J-1', '2026-09-03', '50000', { currency: 'JPY', balanceAmount: '25000' })],
  ['2026-11-17', bill('A-1006', '2026-11-17', '60.00'), bill('A-1007', '2026-11-17', '61.00')],
  ['2026-11-19', bank('2026-11-19', ['121.00', 'B-11', 'A-1006 and A-1007'])],
  ['2026-11-24', bill('A-1006', '2026-11-17', '60.00', { documentState: 'voided' })],
]
const CHECKED = [
  '09-03',
  '09-15',
  '09-18',
  '09-30',
  '10-05',
  '10-14',
  '10-21',
  '11-06',
  '11-14',
  '11-24',
].map((day) => `2026-${day}`)

type Accounts = Awaited<ReturnType<typeof accounts.readAccount>>['body']
const request = (query: object) => ({ params: {}, query, body: undefined }) as never
const key = (items: { number: string; currency?: string; balance: number }[]) =>
  items.map(({ number, currency, balance }) => `${currency} ${number} ${balance}`).toSorted()

/** Open items of today as the invoices have them on that day; each one that the open items list is among them. */
async function openToday(): Promise<string[]> {
  const listed = await scope(caller, (tx) => listOpenItems(tx, caller, {}, { limit: 1000 }))
  const rows = await db.sql(
    caller.customerId,
    `SELECT number, currency, balance_amount::float8 AS balance FROM invoices
     WHERE document_state = 'issued' AND balance_amount <> 0`,
  )
  // A credit note that is set off, and the invoice that it pays, are not listed there.
  expect(rows.map(({ number }) => number)).toEqual(expect.arrayContaining(listed.map(({ number }) => number)))
  return key(rows as never)
}

/** A filter by currency changes nothing in that one; a filter by billing profile leaves out credit, which has none. */
async function expectSameFiltered(day: string, { currencies }: Accounts) {
  const filtered = async (filter: object) => {
    const query = { minDate: epochOfDay('2026-08-01'), maxDate: epochOfDay(day), filter }
    const { body } = await accounts.readAccount(caller, request(query), { requestId: 't' })
    return body.currencies
  }
  for (const one of currencies)
    expect([day, await filtered({ currency: [one.currency] })]).toEqual([day, [one]])
  expect(await filtered({ billingProfile: ['default'] })).toMatchObject(
    currencies.map(({ currency, closingAmount, creditAmount }) => ({
      currency,
      closingAmount: new Exact(closingAmount).plus(creditAmount).toNumber(),
      creditAmount: 0,
    })),
  )
}

test('open items equal on each of ten past days, from statements and exports', async () => {
  const noted = new Map<string, string[]>()
  for (const [day, ...events] of DAYS) {
    await db.setToday(day)
    for (const event of events) await within(event)
    if (CHECKED.includes(day)) noted.set(day, await openToday())
  }
  expect([...noted.keys()]).toEqual(CHECKED)
  await db.setToday('2026-11-25')

  for (const [day, items] of noted) {
    const maxDate = epochOfDay(day)
    const { body } = await accounts.readAccount(
      caller,
      request({ minDate: epochOfDay('2026-08-01'), maxDate }),
      { requestId: 't' },
    )
    const open = body.currencies.flatMap(({ currency, openItems }) =>
      openItems.map(({ number, balanceAmount }) => ({ number, currency, balance: balanceAmount })),
    )
    expect([day, key(open)]).toEqual([day, items])
    for (const one of body.currencies) {
      const sum = (amounts: number[]) =>
        amounts.reduce((all, amount) => all.plus(amount), new Exact(0)).toNumber()
      expect(one.openingAmount).toBe(0)
      expect(sum(one.movements.map(({ amount }) => amount))).toBe(one.closingAmount)
      expect(sum([...one.openItems.map(({ balanceAmount }) => balanceAmount), -one.creditAmount])).toBe(
        one.closingAmount,
      )
      expect(one.movements.at(-1)?.balanceAmount).toBe(one.closingAmount)
    }
    await expectSameFiltered(day, body)
    // Two statements that follow each other meet, whatever the day between them.
    const next = await accounts.readAccount(
      caller,
      request({ minDate: maxDate + DAY_MS, maxDate: epochOfDay('2026-11-25') }),
      { requestId: 't' },
    )
    for (const { currency, closingAmount } of body.currencies) {
      const opening = next.body.currencies.find((one) => one.currency === currency)?.openingAmount ?? 0
      expect([day, currency, opening]).toEqual([day, currency, closingAmount])
    }
  }

  // From the CSV file: each invoice's movements are its balance, as the invoice itself has it.
  const csv = await accounts.exportAccount(caller, request({ minDate: epochOfDay('2026-08-01') }), {
    requestId: 't',
  })
  let text = ''
  for await (const chunk of csv.body as AsyncIterable<string | Uint8Array>)
    text += typeof chunk === 'string' ? chunk : new TextDecoder().decode(chunk)
  const rows = text
    .trim()
    .split('\r\n')
    .slice(1)
    .map((line) => line.split(','))
  const byInvoice = Map.groupBy(
    rows.filter(([, , , invoice]) => invoice),
    ([, , , invoice = '']) => invoice,
  )
  const sums = [...byInvoice].map(([invoice, movements]) => [
    invoice,
    movements.reduce((all, [, , , , , , , amount = '0']) => all.plus(amount), new Exact(0)).toNumber(),
  ])
  const stored = await db.sql(
    caller.customerId,
    `SELECT id, document_state AS state, balance_amount::float8 AS balance FROM invoices`,
  )
  const openOf = (balances: unknown[][]) => balances.filter(([, balance]) => balance !== 0).toSorted()
  expect(openOf(sums)).toEqual(
    openOf(stored.map(({ id, balance }) => [String(id).replace(/~\d+$/, ''), balance])),
  )
  const pdf = await accounts.exportAccountPdf(caller, request({ minDate: epochOfDay('2026-09-01') }), {
    requestId: 't',
  })
  expect(
    Buffer.from(pdf.body as Uint8Array)
      .subarray(0, 5)
      .toString(),
  ).toBe('%PDF-')
})
