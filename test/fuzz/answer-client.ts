import { listInvoices, readInvoice, summarizeInvoices } from '#lib/billing/invoices/operations.ts'
import { readStatement } from '#lib/billing/statements/operations.ts'
import { readBilledProducts } from '#lib/costs/billed-products/operations.ts'
import { compareInvoices } from '#lib/costs/comparisons/operations.ts'
import { explainMonth } from '#lib/costs/explanations/operations.ts'
import { listRenewals } from '#lib/costs/renewals/operations.ts'
import { listAssets, readAsset, summarizeAssets } from '#lib/licenses/assets/operations.ts'
import { setQuantity } from '#lib/licenses/license-changes/operations.ts'
import { listNeeds } from '#lib/notifications/needs/operations.ts'
import { type CacheStats, cacheStats } from '#lib/platform/api/answer-cache.ts'
import { answer } from '#lib/platform/api/endpoint.ts'
import type { AnyOperation } from '#lib/platform/api/operation.ts'
import { newCustomerId } from '#lib/platform/caller/store.ts'
import { database, openDatabase } from '#lib/platform/db/client.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { addInvoice } from '#lib/platform/db/test-rows.ts'
import { asOwnerOf } from '#lib/server/pruning/as-owner.ts'
import { listViews } from '#lib/workspace/views/operations.ts'
import { randomFrom } from './writers.ts'

// Random reads through the cache of answers with random changes, in one of several processes that share a database.
// Each answer must equal the one that is computed for the same question between the beginning and the end of the read.

export type Reader = { customer: string; key: string }

/** Input of a process, as one argument. */
export type AnswersInput = {
  /** Database URL of the owner. */
  url: string
  readers: Reader[]
  /** Members by their customer, who have issued a key. */
  members: Record<string, string>
  seed: number
  /** Distinguishes the two processes: one adds rows with even numbers, the other with odd ones. */
  parity: 0 | 1
  counts: { reads: number; changes: number; parallel: number }
}

export type AnswersResult = {
  reads: number
  changes: number
  /** Reads with the same computed answer before and after, which is then the right one unless a row changed back. */
  compared: number
  /** Reads with another answer during which a transaction wrote: a role can be taken and returned in between. */
  ambiguous: number
  wrong: object[]
  stats: CacheStats
}

const PROFILES = ['default', 'berlin']
export const profile = (n: number) => PROFILES[n % PROFILES.length] as string

const QUESTIONS: [operation: AnyOperation, url: string][] = [
  [listInvoices, '/billing/v1/invoices'],
  [listInvoices, '/billing/v1/invoices?filter=status:OPEN'],
  [listInvoices, '/billing/v1/invoices?maxResults=3&orderBy=totalAmount%20asc'],
  [readInvoice, '/billing/v1/invoices/I-1'],
  [readInvoice, '/billing/v1/invoices/I-2'],
  [summarizeInvoices, '/billing/v1/invoice-summary'],
  [readStatement, '/billing/v1/statement'],
  [readBilledProducts, '/billing/v1/billed-products?month=2026-10'],
  [explainMonth, '/billing/v1/invoice-explanation?month=2026-10'],
  [listAssets, '/billing/v1/assets'],
  [listAssets, '/billing/v1/assets?view=full'],
  [readAsset, '/billing/v1/assets/office-suite-1'],
  [summarizeAssets, '/billing/v1/asset-summary'],
  [listViews, '/billing/v1/views'],
  [listNeeds, '/billing/v1/needs'],
  [listRenewals, '/billing/v1/renewals'],
  [compareInvoices, '/billing/v1/invoice-comparison?from=I-1&to=I-3'],
]

async function send(key: string, operation: AnyOperation, url: string, more: object = {}) {
  const [path = '', search = ''] = url.split('?')
  const headers = new Headers({ authorization: `Bearer ${key}` })
  const { status, body } = await answer([operation], {
    ...{ method: 'GET', path, search, headers, read: async () => new Uint8Array() },
    ...more,
  })
  // The request id differs.
  return status < 400 ? `${status} ${body}` : String(status)
}

let fresh = 0
/** Computes an answer: an unknown parameter is ignored, and makes the question a new one. */
const compute = (key: string, operation: AnyOperation, url: string) =>
  send(key, operation, `${url}${url.includes('?') ? '&' : '?'}fresh=${++fresh}`)

/** Returns the ids of the next transaction and of those in progress: they differ after each write. */
async function lastTransaction(): Promise<string> {
  const { rows } = await database().app.query('SELECT pg_current_snapshot()::text AS snapshot')
  return rows[0].snapshot
}

const invoice = (n: number) => `I-${n % 8}`
/** The customer is being changed for longer than the command waits. */
function exceptLock(error: { code?: string }): void {
  if (error.code !== '55P03') throw error
}
const inScope = (customer: string, query: string) =>
  scope({ customerId: newCustomerId(customer) }, (tx) => tx.execute(query))

type Change = (customer: string, n: number, input: AnswersInput) => Promise<unknown>

/** Changes of a customer's rows, of all kinds that the answers show, and by all ways to them. */
const CHANGE_KINDS: Change[] = [
  (customer, n) => addInvoice(customer, `N-${n}`, { billingProfileId: profile(n) }),
  (customer, n) =>
    inScope(customer, `UPDATE invoices SET balance_amount = ${n % 11} WHERE id = '${invoice(n)}'`),
  (customer, n) =>
    inScope(customer, `UPDATE invoices SET due_date = '2026-11-${10 + (n % 20)}' WHERE id = '${invoice(n)}'`),
  (customer, n) =>
    inScope(customer, `DELETE FROM line_items WHERE invoice_id = '${invoice(n)}' AND position > 0`),
  (customer, n) =>
    inScope(customer, `UPDATE assets SET name = 'Suite ${n}' WHERE id = 'office-suite-${n % 3}'`),
  (customer, n) => inScope(customer, `UPDATE billing_profiles SET name = 'Profile ${n}' WHERE id = 'berlin'`),
  (customer, n, { members }) =>
    inScope(
      customer,
      `UPDATE members SET billing_profiles = ${n % 2 ? "'{berlin}'" : 'NULL'} WHERE id = '${members[customer]}'`,
    ),
  (customer, n, { members }) =>
    inScope(
      customer,
      `UPDATE members SET roles = '{${n % 2 ? 'admin' : 'finance-user'}}' WHERE id = '${members[customer]}'`,
    ),
  (customer, n, { readers }) => {
    const { key } = readers.find((one) => one.customer === customer) as Reader
    const body = Buffer.from(JSON.stringify({ quantity: 5 + (n % 9) }))
    const headers = new Headers({ authorization: `Bearer ${key}`, 'content-type': 'application/json' })
    return send(key, setQuantity, `/billing/v1/assets/office-suite-${n % 3}`, {
      ...{ method: 'PATCH', headers, read: async () => body },
    })
  },
  (customer, n) =>
    inScope(customer, `UPDATE customers SET hides_prices = ${n % 2 === 0} WHERE id = '${customer}'`),
  (customer, n, { url }) =>
    asOwnerOf(url, { alone: [newCustomerId(customer)] }, ({ write }) =>
      write('UPDATE invoices SET platform = $3 WHERE customer_id = $1 AND id = $2', [
        customer,
        invoice(n),
        `p-${n % 5}`,
      ]),
    ).catch(exceptLock),
  // As a process of the previous release does.
  (customer, n) =>
    database().app.query(`BEGIN; SET LOCAL console.customer = '${customer}'; SELECT enter_to_write('${customer}');
      UPDATE invoices SET issuer = 'Issuer ${n}' WHERE customer_id = '${customer}' AND id = '${invoice(n)}'; COMMIT`),
  async (customer, n) => {
    await inScope(customer, `UPDATE assets SET name = 'lost ${n}'; SELECT 1 / 0`).catch(() => {})
  },
]

/** Reads and changes until both have their counts. */
export async function readAndChange(input: AnswersInput): Promise<AnswersResult> {
  const { readers, seed, parity, counts } = input
  const random = (use: number) => {
    const next = randomFrom(seed + use * 7919)
    return (below: number) => Math.floor(next() * below)
  }
  const result: AnswersResult = {
    reads: 0,
    changes: 0,
    compared: 0,
    ambiguous: 0,
    wrong: [],
    stats: cacheStats(),
  }
  const read = async (use: number) => {
    const choose = random(use)
    while (result.reads < counts.reads) {
      result.reads += 1
      const { customer, key } = readers[choose(readers.length)] as Reader
      const [operation, url] = QUESTIONS[choose(QUESTIONS.length)] as (typeof QUESTIONS)[number]
      const written = await lastTransaction()
      const before = await compute(key, operation, url)
      const got = await send(key, operation, url)
      const after = await compute(key, operation, url)
      // Otherwise the rows changed during the read, and the answer may be any one in between.
      if (before !== after) continue
      result.compared += 1
      if (got === before) continue
      if ((await lastTransaction()) === written) result.wrong.push({ customer, url, got, expected: before })
      else result.ambiguous += 1
    }
  }
  const change = async () => {
    const choose = random(0)
    for (; result.changes < counts.changes && result.reads < counts.reads; result.changes++) {
      // Paced by the reads, so that both end together.
      while (result.changes * counts.reads > result.reads * counts.changes && result.reads < counts.reads)
        await new Promise(setImmediate)
      const kind = CHANGE_KINDS[choose(CHANGE_KINDS.length)] as Change
      const customers = Object.keys(input.members)
      await kind(customers[choose(customers.length)] as string, result.changes * 2 + parity, input)
    }
  }
  await Promise.all([...Array.from({ length: counts.parallel }, (_, n) => read(n + 1)), change()])
  return { ...result, wrong: result.wrong.slice(0, 3), stats: cacheStats() }
}

if (process.send && process.argv[2]?.startsWith('{')) {
  const input = JSON.parse(process.argv[2]) as AnswersInput
  const opened = openDatabase(input.url)
  // The starting process is gone.
  process.on('disconnect', () => process.exit())
  process.send(await readAndChange(input))
  await opened.close()
  process.disconnect()
}
