import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { listInvoices, readInvoice, summarizeInvoices } from '#lib/billing/invoices/operations.ts'
import { readStatement } from '#lib/billing/statements/operations.ts'
import { readBilledProducts } from '#lib/costs/billed-products/operations.ts'
import { explainMonth } from '#lib/costs/explanations/operations.ts'
import { listAssets, readAsset, summarizeAssets } from '#lib/licenses/assets/operations.ts'
import { setQuantity } from '#lib/licenses/license-changes/operations.ts'
import { cacheSize } from '#lib/platform/api/answer-cache.ts'
import { answer } from '#lib/platform/api/endpoint.ts'
import type { AnyOperation } from '#lib/platform/api/operation.ts'
import type { CustomerId, Role } from '#lib/platform/caller/rules.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import {
  addAsset,
  addCustomer,
  addInvoice,
  addKey,
  addMember,
  addProfile,
} from '#lib/platform/db/test-rows.ts'
import { listViews } from '#lib/workspace/views/operations.ts'
import { FULL, printSeed, randomOfRun } from './run.ts'

// Random reads through the cache of answers beside random changes. Each answer must equal the one that is computed for
// the same question between the beginning and the end of the read.

const [READS, CHANGES, READERS] = FULL ? [100_000, 5000, 16] : [1500, 150, 8]
const CUSTOMERS = ['alder', 'birch']
const PROFILES = ['default', 'berlin']

type Reader = { customer: string; key: string }

printSeed('test/fuzz/answers.test.ts')

let database: TestDatabase
const readers: Reader[] = []
const members = new Map<string, string>()

beforeAll(async () => {
  vi.stubEnv('ANSWER_CACHE_MB', '1')
  database = await testDatabase({ today: '2026-11-25' })
  for (const customer of CUSTOMERS) {
    await addCustomer(customer)
    await addProfile(customer, 'berlin')
    for (let n = 0; n < 8; n++) await addInvoice(customer, `I-${n}`, { billingProfileId: profile(n) })
    for (let n = 0; n < 3; n++) await addAsset(customer, `office-suite-${n}`, { purchased: 5 + n })
    const issuer = await addMember(customer, { roles: ['admin'], billingProfiles: ['berlin'] })
    members.set(customer, issuer)
    const roles: Role[][] = [['it-manager'], ['finance-user'], ['admin']]
    for (const one of roles) readers.push({ customer, key: await addKey(customer, one) })
    // Sees what its issuer sees at the moment.
    readers.push({ customer, key: await addKey(customer, ['admin'], { issuedBy: issuer }) })
  }
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await database.close()
})

const profile = (n: number) => PROFILES[n % PROFILES.length] as string

/** Returns a generator of whole numbers below a bound, from the seed of this run. */
function random(use: string): (below: number) => number {
  const next = randomOfRun(use)
  return (below) => Math.floor(next() * below)
}

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

const invoice = (n: number) => `I-${n % 8}`
const inScope = (customer: string, query: string) =>
  scope({ customerId: customer as CustomerId }, (tx) => tx.execute(query))

/** Changes of a customer's rows, of all kinds that the answers show. */
const CHANGE_KINDS: ((customer: string, n: number) => Promise<unknown>)[] = [
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
  (customer, n) =>
    inScope(
      customer,
      `UPDATE members SET billing_profiles = ${n % 2 ? "'{berlin}'" : 'NULL'} WHERE id = '${members.get(customer)}'`,
    ),
  (customer, n) =>
    inScope(
      customer,
      `UPDATE members SET roles = '{${n % 2 ? 'admin' : 'finance-user'}}' WHERE id = '${members.get(customer)}'`,
    ),
  (customer, n) => {
    const { key } = readers.find((one) => one.customer === customer) as Reader
    const body = Buffer.from(JSON.stringify({ quantity: 5 + (n % 9) }))
    const headers = new Headers({ authorization: `Bearer ${key}`, 'content-type': 'application/json' })
    return send(key, setQuantity, `/billing/v1/assets/office-suite-${n % 3}`, {
      ...{ method: 'PATCH', headers, read: async () => body },
    })
  },
  async (customer, n) => {
    await inScope(customer, `UPDATE assets SET name = 'lost ${n}'; SELECT 1 / 0`).catch(() => {})
  },
]

test('each answer equals one that is computed during the read, beside random changes', async () => {
  let [reads, changes, compared] = [0, 0, 0]
  const wrong: object[] = []
  const read = async (name: string) => {
    const choose = random(name)
    while (reads < READS) {
      reads += 1
      const { customer, key } = readers[choose(readers.length)] as Reader
      const [operation, url] = QUESTIONS[choose(QUESTIONS.length)] as (typeof QUESTIONS)[number]
      const before = await compute(key, operation, url)
      const got = await send(key, operation, url)
      const after = await compute(key, operation, url)
      // Otherwise the rows changed during the read, and the answer may be any one in between.
      if (before !== after) continue
      compared += 1
      if (got !== before) wrong.push({ customer, url, got, expected: before })
    }
  }
  const change = async () => {
    const choose = random('changes')
    for (; changes < CHANGES && reads < READS; changes++) {
      // Paced by the reads, so that both end together.
      while (changes * READS > reads * CHANGES && reads < READS) await new Promise(setImmediate)
      const kind = CHANGE_KINDS[choose(CHANGE_KINDS.length)] as (typeof CHANGE_KINDS)[number]
      await kind(CUSTOMERS[choose(CUSTOMERS.length)] as string, changes)
    }
  }
  await Promise.all([...Array.from({ length: READERS }, (_, n) => read(`reader ${n}`)), change()])
  expect(wrong.slice(0, 3)).toEqual([])
  expect(changes).toBeGreaterThan(CHANGES / 2)
  expect(compared).toBeGreaterThan(READS / 2)
  expect(cacheSize().answers).toBeGreaterThan(10)
}, 3_000_000)
