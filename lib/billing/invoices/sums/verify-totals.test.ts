import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listOpenItems, sumOpenItems } from '#lib/billing/statements/store.ts'
import { ImportError } from '#lib/imports/import-error.ts'
import { importInvoices } from '#lib/imports/invoices/import.ts'
import type { NewInvoice } from '#lib/imports/schemas.ts'
import { undoImport } from '#lib/imports/undo.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { newCustomerId } from '#lib/platform/caller/store.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { allowImportTimes } from '#lib/platform/db/plans.ts'
import { readScope, scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addNewCustomer, addProfile, callerOf } from '#lib/platform/db/test-rows.ts'
import { run } from '#lib/platform/db/test-servers/test-server.ts'
import { epochOfDay } from '#lib/platform/values/days.ts'
import { DEEP } from '../../../../test/fakes/deep.ts'
import { summarizeInvoices } from '../operations.ts'
import { payableAmountOf } from '../rules.ts'
import { serializeSummary } from '../serialize.ts'
import { byRows, strategyFor, sumInvoices } from './summary.ts'
import { compareSums } from './verify-totals.ts'

// Whatever imports do, and whatever is asked, the kept sums answer what the invoices come to.

const PROFILES = ['default', 'emea']
const TODAY = '2026-11-20'
let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase({ today: TODAY })
})
afterAll(() => db.close())

type Step =
  | { what: 'import'; correct: boolean; invoices: NewInvoice[] }
  /** Undoes the newest import that is left. */
  | { what: 'undo' }

const amount = fc.oneof(
  fc.constantFrom('0', '10', '10.00', '-3.50', '0.1', '999999999.99'),
  fc.integer({ min: -9999, max: 99_999 }).map((n) => (n / 1000).toFixed(3)),
)
/** Few numbers, so that imports meet what is there: days at the ends of months, and around today. */
const invoice: fc.Arbitrary<NewInvoice> = fc
  .record({
    number: fc.integer({ min: 1, max: 12 }).map((n) => `I-${n}`),
    platform: fc.constantFrom('web-services', 'cloud-platform'),
    issuer: fc.constantFrom('AWS', 'Resale'),
    billingProfileId: fc.constantFrom(...PROFILES),
    currency: fc.constantFrom('USD', 'EUR'),
    invoiceDate: fc.constantFrom('2026-08-31', '2026-09-01', '2026-09-30', '2026-10-15', '2026-10-31'),
    dueDate: fc.constantFrom(
      '2026-10-31',
      '2026-11-19',
      '2026-11-20',
      '2026-11-21',
      '2026-12-20',
      '2026-12-21',
    ),
    totalAmount: amount,
    balance: fc.option(amount, { nil: undefined }),
    state: fc.constantFrom('issued', 'issued', 'issued', 'draft', 'voided'),
    period: fc.option(fc.constantFrom('A-1', 'A-2'), { nil: undefined }),
  })
  .map(({ balance, state, period, ...rest }) => ({
    ...rest,
    documentState: state as 'issued',
    ...(balance !== undefined && state === 'issued' ? { balanceAmount: balance } : {}),
    ...(period ? { billingAccount: period, periodStart: '2026-09-01', periodEnd: '2026-10-01' } : {}),
    lines: [{ type: rest.platform, description: 'Compute', price: '1', qty: '1' }],
  }))
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      what: fc.constant('import' as const),
      correct: fc.boolean(),
      invoices: fc.uniqueArray(invoice, {
        minLength: 1,
        maxLength: 8,
        selector: ({ number, issuer }) => number + issuer,
      }),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ what: 'undo' as const }) },
)

/** Takes the steps one after the other; what is refused changes nothing. */
async function applySteps(customer: string, steps: readonly Step[]): Promise<number> {
  const customerId = newCustomerId(customer)
  const done: string[] = []
  let undone = 0
  for (const [n, one] of steps.entries()) {
    const id = one.what === 'undo' ? done.pop() : `${customer}-${n}`
    if (id === undefined) continue
    await scope({ customerId }, async (tx) => {
      if (one.what === 'undo') {
        await undoImport(tx, customerId, id)
        undone += 1
        return
      }
      await tx.execute(
        `INSERT INTO imports (customer_id, id, kind, files, report, created_at)
         VALUES ('${customer}', '${id}', 'invoices', '[]', '{}', clock_timestamp())`,
      )
      await importInvoices(tx, customerId, one.invoices, { correct: one.correct, importId: id })
      done.push(id)
    }).catch((error: unknown) => {
      if (!(error instanceof ImportError)) throw error
    })
  }
  return undone
}

async function newCustomer(): Promise<string> {
  const customer = await addNewCustomer()
  await addProfile(customer, 'emea')
  return customer
}
const ownerOf = (customer: string, billingProfiles: readonly string[] = PROFILES) => ({
  customerId: customer as Caller['customerId'],
  billingProfiles: [...billingProfiles],
})

const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })
const some = <T>(values: readonly T[]) => optional(fc.subarray([...values], { minLength: 1 }))
const day = optional(
  fc.constantFrom('2026-08-31', '2026-09-01', '2026-09-02', '2026-09-30', '2026-10-31').map(epochOfDay),
)
const selection = fc.record({
  filter: fc.record({
    platform: some(['web-services', 'nothing']),
    status: some(['OPEN', 'PAST DUE', 'PAID']),
    issuer: some(['AWS', 'Resale']),
    billingProfile: some(PROFILES),
    currency: some(['USD', 'EUR', 'CHF']),
    state: optional(fc.constant<string[]>(['issued'])),
  }),
  minCreationTime: day,
  maxCreationTime: day,
})
type SelectionValue = typeof selection extends fc.Arbitrary<infer T> ? T : never

const summaryBy = (
  strategy: typeof strategyFor,
  customer: string,
  profiles: readonly string[],
  query: SelectionValue,
) =>
  readScope(ownerOf(customer), async (tx) =>
    JSON.stringify(
      serializeSummary(await sumInvoices(tx, ownerOf(customer, profiles), query, strategy(query))),
    ),
  )

/** The statement's sums, from each of its items. */
async function itemsByAge(
  tx: Transaction,
  customer: string,
  profiles: readonly string[],
  filter: SelectionValue['filter'],
) {
  const items = await listOpenItems(tx, ownerOf(customer, profiles), { filter }, { limit: 1000 })
  const groups = Map.groupBy(items, (item) => [item.currency, item.billingProfileId, item.age].join())
  return [...groups].map(([key, groupItems]) => {
    const cents = groupItems.reduce((all, item) => all + Math.round(Number(payableAmountOf(item)) * 1000), 0)
    return [key, groupItems.length, cents]
  })
}

describe('After random imports, corrections, payments, drafts, voids and undone imports', () => {
  it('the stored sums equal those of the invoices, and both strategies give the same bytes', async () => {
    let undone = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 6 }),
        fc.array(fc.tuple(selection, fc.subarray(PROFILES)), { minLength: 4, maxLength: 4 }),
        async (steps, query) => {
          const customer = await newCustomer()
          undone += await applySteps(customer, steps)
          const { customerId } = ownerOf(customer)
          expect(await readScope({ customerId }, (tx) => compareSums(tx, customerId))).toEqual({
            differences: [],
            count: 0,
          })
          for (const [one, profiles] of [[{ filter: {} } as SelectionValue, PROFILES] as const, ...query])
            expect(await summaryBy(strategyFor, customer, profiles, one)).toBe(
              await summaryBy(byRows, customer, profiles, one),
            )
        },
      ),
      { numRuns: DEEP ? 60 : 20 },
    )
    expect(undone).toBeGreaterThan(0)
  }, 60_000)

  it('a statement has the sums of its items, by day', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 2, maxLength: 5 }),
        fc.record({
          billingProfile: some(PROFILES),
          platform: some(['web-services']),
          currency: some(['USD']),
        }),
        fc.subarray(PROFILES),
        async (steps, filter, profiles) => {
          const customer = await newCustomer()
          await applySteps(customer, steps)
          await readScope(ownerOf(customer), async (tx) => {
            const sums = await sumOpenItems(tx, ownerOf(customer, profiles), { filter })
            const reported = sums.map(({ currency, billingProfileId, age, count, amount: sum }) => [
              [currency, billingProfileId, age].join(),
              count,
              Math.round(Number(sum) * 1000),
            ])
            expect(reported.sort()).toEqual(
              (await itemsByAge(tx, customer, profiles, filter as SelectionValue['filter'])).sort(),
            )
          })
        },
      ),
      { numRuns: DEEP ? 30 : 10 },
    )
  }, 60_000)
})

it('A verification that takes too long ends with an error that suggests a faster one', async () => {
  const slow = await testDatabase({ today: TODAY })
  try {
    const caller = await callerOf(await newCustomer(), 'finance-user')
    // Longer than a statement may take: whatever asks for the day waits.
    await run(
      slow.url,
      `CREATE OR REPLACE FUNCTION clock.now() RETURNS timestamptz VOLATILE
       BEGIN ATOMIC SELECT pg_sleep(60); SELECT pg_catalog.now(); END`,
    )
    const summary = summarizeInvoices(caller, { params: {}, query: {}, body: undefined }, { requestId: 'r' })
    await expect(summary).rejects.toMatchObject({
      code: 'service_unavailable',
      message: expect.stringContaining('Without `search`, `dueDate` and `state` it is quick'),
    })
  } finally {
    await slow.close()
  }
})

it('Past-due amounts change at midnight only, and both strategies agree before and after', async () => {
  const customer = await newCustomer()
  const invoiceDue = (number: string, dueDate: string) => ({ number, dueDate, ...TERMS })
  const invoices = [
    invoiceDue('A', '2026-11-19'),
    invoiceDue('B', '2026-11-20'),
    invoiceDue('C', '2026-11-21'),
    invoiceDue('D', '2026-12-20'),
  ]
  await applySteps(customer, [{ what: 'import', correct: false, invoices }])
  const pastDue = async (status: string) => {
    const query = { filter: { status: [status] } } as SelectionValue
    const answer = await summaryBy(strategyFor, customer, PROFILES, query)
    expect(answer).toBe(await summaryBy(byRows, customer, PROFILES, query))
    return JSON.parse(answer).count
  }
  const counts: number[][] = []
  for (const time of ['2026-11-20T23:59:59Z', '2026-11-21T00:00:00Z']) {
    await run(
      db.url,
      `CREATE OR REPLACE FUNCTION clock.now() RETURNS timestamptz STABLE RETURN timestamptz '${time}'`,
    )
    counts.push([await pastDue('PAST DUE'), await pastDue('OPEN'), await pastDue('PAID')])
  }
  expect(counts).toEqual([
    [1, 3, 0],
    [2, 2, 0],
  ])
})

const TERMS: Omit<NewInvoice, 'number' | 'dueDate'> = {
  platform: 'web-services',
  issuer: 'AWS',
  invoiceDate: '2026-10-31',
  currency: 'USD',
  totalAmount: '1',
  lines: [{ type: 'web-services', description: 'Compute', price: '1', qty: '1' }],
}

describe('An import of many batches', () => {
  const many = (build: (at: number) => Partial<NewInvoice>): NewInvoice[] =>
    // Eleven batches: after ten, the sums are rebuilt at the end.
    Array.from({ length: 5100 }, (_, at) => ({
      number: `M-${at}`,
      platform: at % 2 ? 'web-services' : 'cloud-platform',
      issuer: 'AWS',
      currency: at % 3 ? 'USD' : 'EUR',
      invoiceDate: `2026-${String(1 + (at % 10)).padStart(2, '0')}-15`,
      dueDate: `2026-12-${String(1 + (at % 28)).padStart(2, '0')}`,
      totalAmount: `${at}.25`,
      lines: [{ type: 'x', description: 'x', price: `${at}.25`, qty: '1' }],
      ...build(at),
    }))

  it('leaves correct sums, like the next import, and like an interruption of either', async () => {
    const customerId = newCustomerId(await addNewCustomer())
    // Each with the time that the product gives its imports and commands.
    const within = <T>(work: (tx: Transaction) => Promise<T>) =>
      scope({ customerId }, async (tx) => {
        await allowImportTimes(tx)
        return work(tx)
      })
    const differences = () => within((tx) => compareSums(tx, customerId))
    const load = (id: string, invoices: NewInvoice[]) =>
      within(async (tx) => {
        await tx.execute(
          `INSERT INTO imports (customer_id, id, kind, files, report, created_at)
           VALUES ('${customerId}', '${id}', 'invoices', '[]', '{}', clock_timestamp())`,
        )
        await importInvoices(tx, customerId, invoices, { importId: id, correct: true })
        // What comes after it in the transaction is kept again.
        await importInvoices(tx, customerId, [{ ...(invoices[0] as NewInvoice), number: `AFTER-${id}` }])
      })
    await load(
      'one',
      many(() => ({})),
    )
    expect(await differences()).toEqual({ differences: [], count: 0 })
    await load(
      'two',
      many((at) => (at % 5 ? { balanceAmount: `${at % 7}` } : { totalAmount: '1', balanceAmount: '1' })),
    )
    expect(await differences()).toEqual({ differences: [], count: 0 })
    for (const id of ['two', 'one']) {
      await within((tx) => undoImport(tx, customerId, id))
      expect(await differences()).toEqual({ differences: [], count: 0 })
    }
  }, 120_000)
})
