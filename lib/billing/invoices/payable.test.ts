import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listOpenItems, sumOpenItems } from '#lib/billing/statements/store.ts'
import { listPastDue } from '#lib/notifications/needs/store.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addInvoice, addNewCustomer, addProfile, callerOf } from '#lib/platform/db/test-rows.ts'
import { Exact, roundMoney } from '#lib/platform/values/decimals.ts'
import { UNITS } from '#lib/platform/values/money.ts'
import { PUBLISHED } from '#lib/platform/values/test-iso-4217.ts'
import { runBackfills } from '#lib/server/backfills/run.ts'
import { openAgain } from '#lib/server/backfills/store.ts'
import { readInvoice, summarizeInvoices } from './operations.ts'
import { serializeSummary } from './serialize.ts'
import { byRows, sumInvoices } from './sums/summary.ts'
import { payableAmounts } from './sums/verify-totals.ts'

// Payable amount of each invoice, as a trigger stores it and all sums use it.

const TODAY = '2026-11-20'
let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase({ today: TODAY })
})
afterAll(() => db.close())

async function newCaller(): Promise<Caller> {
  const customer = await addNewCustomer()
  await addProfile(customer, 'emea')
  return callerOf(customer, 'finance-user')
}
const read = (caller: Caller) =>
  db.sql(
    caller.customerId,
    `SELECT id, trim_scale(coalesce(payable_amount, balance_amount))::text AS payable FROM invoices WHERE customer_id = $1 ORDER BY id`,
    [caller.customerId],
  )
const payables = async (caller: Caller) =>
  Object.fromEntries((await read(caller)).map(({ id, payable }) => [id, payable]))
const write = (caller: Caller, statement: string, values: unknown[] = []) =>
  db.sql(caller.customerId, statement, values)
const add = (caller: Caller, id: string, fields: Parameters<typeof addInvoice>[2] = {}) =>
  addInvoice(caller.customerId, id, { totalAmount: fields?.balanceAmount ?? '10.00', ...fields })
const late = { dueDate: '2026-11-01', invoiceDate: '2026-10-01' }
const request = (query: object) => ({ params: {}, query, body: undefined }) as never
const summaryOf = async (caller: Caller) =>
  (await summarizeInvoices(caller, request({}), { requestId: 't' })).body.currencies

test('The database rounds each currency like the code', async () => {
  const caller = await newCaller()
  const all = [...new Set([...PUBLISHED.map(({ code }) => code), ...UNITS.keys(), 'ZZZ'])]
  const amounts = ['0.5', '0.004', '0.005', '-0.005', '1.00005', '-0.4']
  const rows = (await write(
    caller,
    `SELECT code, amount::text, trim_scale(payable_of(amount, code))::text AS payable
     FROM unnest($1::text[]) AS code, unnest($2::numeric[]) AS amount`,
    [all, amounts],
  )) as Record<'code' | 'amount' | 'payable', string>[]
  expect(rows).toHaveLength(all.length * amounts.length)
  for (const { code, amount, payable } of rows)
    expect([code, amount, payable]).toEqual([code, amount, roundMoney(new Exact(amount), code).toFixed()])
})

describe('A balance under half a minor unit', () => {
  test('is paid: neither past due nor counted, on the screens and among the tasks', async () => {
    const caller = await newCaller()
    await add(caller, 'LEAST', { ...late, totalAmount: '10.00', balanceAmount: '0.004' })
    await add(caller, 'CREDIT', { ...late, totalAmount: '10.00', balanceAmount: '-0.004' })
    await add(caller, 'HALF', { ...late, totalAmount: '10.00', balanceAmount: '0.005' })
    await add(caller, 'YEN', { ...late, currency: 'JPY', totalAmount: '10', balanceAmount: '0.4' })
    const answer = await readInvoice(
      caller,
      { params: { invoice_id: 'LEAST' }, query: {}, body: undefined },
      { requestId: 't' },
    )
    expect(answer.body).toMatchObject({ status: 'PAID', balanceAmount: 0.004, payableAmount: 0 })
    const [usd, yen] = await summaryOf(caller)
    expect(usd).toMatchObject({
      currency: 'USD',
      pastDue: { count: 1, amount: 0.01 },
      outstanding: { count: 1, amount: 0.01 },
      credit: { count: 0, amount: 0 },
      balanceAmount: 0.01,
    })
    expect(yen).toMatchObject({ currency: 'JPY', count: 1, outstanding: { count: 0, amount: 0 } })
    await scope(caller, async (tx) => {
      expect((await listOpenItems(tx, caller, {}, { limit: 10 })).map(({ id }) => id)).toEqual(['HALF'])
      expect(await sumOpenItems(tx, caller, {})).toMatchObject([
        { currency: 'USD', age: 'days1To30', count: 1 },
      ])
      const pastDue = await listPastDue(tx, caller)
      expect(pastDue.map(({ count, amount }) => [count, Number(amount)])).toEqual([[1, 0.01]])
    })
    const paid = request({ filter: { status: ['PAID'] } })
    const { body } = await summarizeInvoices(caller, paid, { requestId: 't' })
    expect(body.count).toBe(3)
  })
})

describe('A credit note', () => {
  test('is set off against the corrected invoice, regardless of which was imported first', async () => {
    const caller = await newCaller()
    await add(caller, 'CN-1', { balanceAmount: '-30', corrects: 'IN-1', invoiceDate: '2026-10-02' })
    expect(await payables(caller)).toEqual({ 'CN-1': '-30' })
    await add(caller, 'IN-1', { ...late, balanceAmount: '100' })
    await add(caller, 'CN-2', { balanceAmount: '-90', corrects: 'IN-1', invoiceDate: '2026-10-03' })
    expect(await payables(caller)).toEqual({ 'CN-1': '0', 'CN-2': '-20', 'IN-1': '0' })
    expect(await summaryOf(caller)).toMatchObject([
      { outstanding: { count: 0, amount: 0 }, credit: { count: 1, amount: -20 }, pastDue: { count: 0 } },
    ])
    const context = { requestId: 't' }
    const invoiceById = async (id: string) =>
      (await readInvoice(caller, { params: { invoice_id: id }, query: {}, body: undefined }, context)).body
    expect(await invoiceById('IN-1')).toMatchObject({
      status: 'PAID',
      balanceAmount: 100,
      payableAmount: 0,
      correctedBy: [
        { number: 'CN-1', setOffAmount: 30 },
        { number: 'CN-2', setOffAmount: 70 },
      ],
    })
    expect(await invoiceById('CN-2')).toMatchObject({
      corrects: { number: 'IN-1', setOffAmount: 70 },
      payableAmount: -20,
    })
    await write(caller, "UPDATE invoices SET balance_amount = 0 WHERE id = 'IN-1'")
    expect(await payables(caller)).toEqual({ 'CN-1': '-30', 'CN-2': '-90', 'IN-1': '0' })
    await write(caller, "UPDATE invoices SET balance_amount = 100 WHERE id = 'IN-1'")
    await write(caller, "UPDATE invoices SET document_state = 'voided', balance_amount = 0 WHERE id = 'CN-2'")
    expect(await payables(caller)).toEqual({ 'CN-1': '0', 'CN-2': '0', 'IN-1': '70' })
    await write(caller, "UPDATE invoices SET corrects = NULL WHERE id = 'CN-1'")
    expect(await payables(caller)).toEqual({ 'CN-1': '-30', 'CN-2': '0', 'IN-1': '100' })
  })

  test('is not set off against a draft, or an invoice with another currency, issuer or billing profile', async () => {
    const caller = await newCaller()
    const credit = { balanceAmount: '-30', corrects: 'IN-1' }
    await add(caller, 'IN-1', { balanceAmount: '100' })
    await add(caller, 'CN-1', { ...credit, currency: 'EUR' })
    await add(caller, 'CN-2', { ...credit, issuer: 'Another' })
    await add(caller, 'CN-3', { ...credit, billingProfileId: 'emea' })
    await add(caller, 'DRAFT', { totalAmount: '100', balanceAmount: '0', documentState: 'draft' })
    await add(caller, 'CN-4', { ...credit, corrects: 'DRAFT' })
    expect(await payables(caller)).toMatchObject({
      'IN-1': '100',
      'CN-1': '-30',
      'CN-3': '-30',
      'CN-4': '-30',
    })
  })
})

type Row = {
  id: string
  number: string
  corrects: string | null
  currency: string
  balance: string
  day: string
}

/** Reference implementation: rounded balances, and each credit note in order against the rest of its invoice. */
function payablesOf(rows: readonly Row[]): Record<string, string> {
  const left = new Map(rows.map((row) => [row.id, roundMoney(new Exact(row.balance), row.currency)]))
  const inOrder = rows.toSorted((a, b) => (a.day + a.id < b.day + b.id ? -1 : 1))
  for (const credit of inOrder) {
    const target = rows.find((row) => row.number === credit.corrects && row.currency === credit.currency)
    const [credited, open] = [left.get(credit.id), target && left.get(target.id)]
    if (!target || target.id === credit.id || !credited?.lt(0) || !open?.gt(0)) continue
    if (roundMoney(new Exact(credit.balance), credit.currency).gte(0)) continue
    const used = credited.abs().lt(open) ? credited.abs() : open
    left.set(credit.id, credited.plus(used))
    left.set(target.id, open.minus(used))
  }
  return Object.fromEntries([...left].map(([id, amount]) => [id, amount.toFixed()]))
}

const row = fc.record({
  corrects: fc.option(fc.integer({ min: 0, max: 7 }), { nil: null }),
  currency: fc.constantFrom('USD', 'JPY'),
  balance: fc.integer({ min: -4000, max: 4000 }).map((n) => (n / 1000).toFixed(3)),
  day: fc.constantFrom('2026-10-01', '2026-10-02', '2026-10-03'),
})
const rowsOf = (found: readonly (Omit<Row, 'id' | 'number' | 'corrects'> & { corrects: number | null })[]) =>
  found.map(
    (one, at): Row => ({
      ...one,
      ...{ id: `I-${at}`, number: `I-${at}`, corrects: one.corrects === null ? null : `I-${one.corrects}` },
    }),
  )

test('The trigger, the backfill and the sums agree with the rule after any imports and changes', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(row, { minLength: 1, maxLength: 8 }),
      fc.array(
        row.map(({ balance }) => balance),
        { maxLength: 3 },
      ),
      async (found, changes) => {
        const caller = await newCaller()
        const rows = rowsOf(found)
        for (const { id, balance, day, ...rest } of rows)
          await add(caller, id, { ...rest, balanceAmount: balance, invoiceDate: day, dueDate: '2026-11-01' })
        expect(await payables(caller)).toEqual(payablesOf(rows))
        for (const [at, balance] of changes.entries()) {
          const one = rows[at]
          if (!one) continue
          one.balance = balance
          await write(caller, 'UPDATE invoices SET balance_amount = $2 WHERE id = $1', [one.id, balance])
        }
        expect(await payables(caller)).toEqual(payablesOf(rows))
        await scope(caller, async (tx) => {
          const kept = serializeSummary(await sumInvoices(tx, caller, {}))
          expect(kept).toEqual(serializeSummary(await sumInvoices(tx, caller, {}, byRows({}))))
        })
      },
    ),
    { numRuns: 25 },
  )
})

test('The backfill writes the payable amounts of earlier invoices', async () => {
  const caller = await newCaller()
  await add(caller, 'IN-1', { balanceAmount: '100.004' })
  await add(caller, 'CN-1', { balanceAmount: '-30', corrects: 'IN-1' })
  const before = await payables(caller)
  expect(before).toEqual({ 'IN-1': '70', 'CN-1': '0' })
  await write(caller, 'UPDATE invoices SET payable_amount = NULL')
  await openAgain('payable-amounts')
  await runBackfills({ signal: new AbortController().signal, backfills: [payableAmounts] })
  expect(await payables(caller)).toEqual(before)
})
