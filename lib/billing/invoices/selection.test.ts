import Big from 'big.js'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { readScope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer, addInvoice, addProfile, callerOf } from '#lib/platform/db/test-rows.ts'
import { csv } from '#lib/platform/files/csv.ts'
import { addDays, epochOfDay } from '#lib/platform/values/days.ts'
import { invoicesTable } from './export.ts'
import { listInvoices, summarizeInvoices } from './operations.ts'
import { listKinds } from './sums/kinds.ts'
import { byRows, strategyFor, sumInvoices } from './sums/summary.ts'

// For any amounts and due dates, with any other filters, the list, sums and CSV contain the invoices of a plain
// comparison of the rows.

const TODAY = '2026-11-20'
const requestMeta = { requestId: 'test-request' }
/** Next to each other for exact decimals, and the same for floats. */
const AMOUNTS = [
  '-12.5',
  '0',
  '0.1',
  '10',
  '10.00',
  '99999999999999.1',
  '99999999999999.12',
  '99999999999999.13',
]
let database: TestDatabase
let ana: Caller

type Row = { id: string; total: string; open: boolean; currency: string; due: string; profile: string }
const rows: Row[] = AMOUNTS.flatMap((total, n) =>
  ['USD', 'KWD'].map((currency, m) => ({
    id: `${currency}-${n}`,
    total,
    open: n % 2 === m,
    currency,
    due: addDays(TODAY, (n - 3) * 12),
    profile: n % 3 ? 'default' : 'emea',
  })),
)

beforeAll(async () => {
  database = await testDatabase({ today: TODAY })
  for (const id of ['northwind', 'southwind']) await addCustomer(id)
  await addProfile('northwind', 'emea')
  ana = await callerOf('northwind', 'finance-user')
  for (const { id, total, open, currency, due, profile } of rows)
    await addInvoice('northwind', id, {
      ...{ totalAmount: total, balanceAmount: open ? total : '0', currency, dueDate: due },
      ...{ billingProfileId: profile, invoiceDate: '2026-08-15', issuer: profile === 'emea' ? 'Øst' : 'AWS' },
    })
  await addInvoice('southwind', 'OTHER', { totalAmount: '10', currency: 'CHF', issuer: 'Else' })
})
afterAll(() => database.close())

const status = fc.subarray(['OPEN', 'PAST DUE', 'PAID'])
const day = fc.option(
  fc.integer({ min: -60, max: 70 }).map((days) => epochOfDay(addDays(TODAY, days))),
  { nil: undefined },
)
const bound = fc.option(fc.constantFrom(...AMOUNTS, '9.999', '99999999999999.125'), { nil: undefined })
const selection = fc.record({
  minAmount: bound,
  maxAmount: bound,
  minDueDate: day,
  maxDueDate: day,
  currency: fc.subarray(['USD', 'KWD']),
  status,
})

type SelectionValue = typeof selection extends fc.Arbitrary<infer Value> ? Value : never

function isChosen(
  row: Row,
  { minAmount, maxAmount, minDueDate, maxDueDate, currency, status }: SelectionValue,
): boolean {
  const due = epochOfDay(row.due)
  const isOpen = row.open && new Big(row.total).gt(0)
  const is = isOpen ? (row.due < TODAY ? 'PAST DUE' : 'OPEN') : 'PAID'
  return (
    (minAmount === undefined || new Big(row.total).gte(minAmount)) &&
    (maxAmount === undefined || new Big(row.total).lte(maxAmount)) &&
    (minDueDate === undefined || due >= minDueDate) &&
    (maxDueDate === undefined || due <= maxDueDate) &&
    (currency.length === 0 || currency.includes(row.currency)) &&
    (status.length === 0 || status.includes(is))
  )
}

/** Returns a selection as the query of an address: without keys that have no values. */
function queryOf({
  currency,
  status,
  ...bounds
}: Pick<SelectionValue, 'currency' | 'status'> & Partial<SelectionValue>) {
  const filter = {
    ...(currency.length > 0 ? { currency } : {}),
    ...(status.length > 0 ? { status } : {}),
  }
  return { ...bounds, ...(Object.keys(filter).length > 0 ? { filter } : {}) }
}

it('A selection has the rows of a plain comparison, in the list, the sums and the file', async () => {
  await fc.assert(
    fc.asyncProperty(selection, async (value) => {
      const query = queryOf(value)
      const input = { params: {}, body: undefined }
      const chosen = rows.filter((row) => isChosen(row, value))
      const ids = chosen.map(({ id }) => id).sort()
      const listed = await listInvoices(ana, { ...input, query: { ...query, maxResults: 100 } }, requestMeta)
      expect(listed.body.invoices.map(({ id }) => id).sort()).toEqual(ids)
      const { body } = await summarizeInvoices(ana, { ...input, query }, requestMeta)
      expect(body.count).toBe(ids.length)
      for (const { currency, totalAmount } of body.currencies) {
        const currencyRows = chosen.filter((row) => row.currency === currency)
        const sum = currencyRows.reduce((all, { total }) => all.plus(total), new Big(0))
        expect([currency, totalAmount]).toEqual([currency, sum.toNumber()])
      }
      let text = ''
      for await (const part of csv(invoicesTable(ana, query))) text += part
      const inFile = text.split('\r\n').slice(1, -1)
      expect(inFile.map((line) => line.split(',')[0]).sort()).toEqual(ids)
    }),
    { numRuns: 60 },
  )
})

it('Open and due amounts of a range of days are equal from stored sums and from invoices', async () => {
  let monthCount = 0
  await fc.assert(
    fc.asyncProperty(selection, async ({ minAmount: _, maxAmount: __, ...rest }) => {
      const query = queryOf(rest)
      const strategy = strategyFor(query)
      if (strategy.months) monthCount += 1
      const [one, other] = await readScope(ana, async (tx) => [
        await sumInvoices(tx, ana, query, strategy),
        await sumInvoices(tx, ana, query, byRows(query)),
      ])
      expect(one).toEqual(other)
    }),
    { numRuns: 60 },
  )
  expect(monthCount).toBeGreaterThan(5)
  const due = { minDueDate: 0, maxDueDate: epochOfDay(TODAY) }
  expect(strategyFor({ ...due, filter: { status: ['OPEN', 'PAST DUE'] } }).months).toBeDefined()
  for (const filter of [undefined, { status: [] }, { status: ['PAID'] }, { status: ['OPEN', 'PAID'] }])
    if (filter?.status.length !== 0) expect(strategyFor({ ...due, filter }).months).toBeUndefined()
})

describe('The filter choices', () => {
  const kindsOf = (caller: Caller) => readScope(caller, (tx) => listKinds(tx, caller))

  it('are the values of the customer’s invoices', async () => {
    const platforms = ['cloud-platform']
    expect(await kindsOf(ana)).toEqual({ issuers: ['AWS', 'Øst'], platforms, currencies: ['KWD', 'USD'] })
    const other = await callerOf('southwind', 'finance-user')
    expect(await kindsOf(other)).toEqual({ issuers: ['Else'], platforms, currencies: ['CHF'] })
  })

  it('exclude billing profiles outside the caller’s', async () => {
    expect((await kindsOf({ ...ana, billingProfiles: ['default'] })).issuers).toEqual(['AWS'])
    expect(await kindsOf({ ...ana, billingProfiles: [] })).toEqual({
      issuers: [],
      platforms: [],
      currencies: [],
    })
  })
})
