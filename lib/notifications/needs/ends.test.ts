import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { listRenewals } from '#lib/costs/renewals/operations.ts'
import { cacheStats } from '#lib/platform/api/answer-cache.ts'
import { answer } from '#lib/platform/api/endpoint.ts'
import type { AnyOperation } from '#lib/platform/api/operation.ts'
import type { Role } from '#lib/platform/caller/rules.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addAsset, addInvoice, addKey, addNewCustomer } from '#lib/platform/db/test-rows.ts'
import { listNeeds } from './operations.ts'

// Answers that end with time: through the cache they equal the computed ones before and after each moment at which they
// change.

const DAY = '2026-11-20'

let db: TestDatabase
let customer: string
const keys: string[] = []
beforeAll(async () => {
  vi.stubEnv('ANSWER_CACHE_MB', '1')
  db = await testDatabase({ today: DAY })
  customer = await addNewCustomer()
  await addRows()
  const roles: Role[][] = [['admin'], ['it-manager'], ['finance-user']]
  for (const one of roles) keys.push(await addKey(customer, one))
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await db.close()
})

/** Time of the day at which something ends, `hours` after noon, and so many days before or after. */
const at = (hours: number, days = 0) =>
  new Date(Date.parse(`${DAY}T12:00Z`) + (hours + 24 * days) * 3_600_000)

async function addRows(): Promise<void> {
  const insert = (table: string, row: object) =>
    db.sql(
      customer,
      `INSERT INTO ${table} (${Object.keys(row)}) VALUES (${Object.keys(row).map((_, n) => `$${n + 1}`)})`,
      [...Object.values(row)],
    )
  const change = (id: string, assetId: string, state: string, row: object) =>
    insert('license_changes', {
      ...{ customer_id: customer, id, asset_id: assetId, from_quantity: 10, to_quantity: 12, state },
      ...{ actor_kind: 'key', actor_id: 'K', actor_name: 'Key', request_id: 'r', ...row },
    })
  const sample = (assetId: string, time: Date, purchased: number, assigned: number) =>
    insert('seat_readings', { customer_id: customer, asset_id: assetId, at: time, purchased, assigned })
  await addInvoice(customer, 'IN-1', { invoiceDate: '2026-10-20', dueDate: DAY })
  const annual = { purchased: 50, assigned: 45, isCommitmentPlan: true }
  await addAsset(customer, 'office-suite-1h', { ...annual, commitmentEnd: at(1) }, { skuName: 'E1' })
  await addAsset(customer, 'office-suite-far', { ...annual, commitmentEnd: at(9, 90) }, { skuName: 'E3' })
  for (const id of ['refused', 'open', 'wait', 'idle', 'pace', 'days'])
    await addAsset(
      customer,
      `workspace-suite-${id}`,
      { purchased: 100, assigned: id === 'pace' || id === 'days' ? 98 : 50 },
      { skuName: id, ...(id === 'wait' ? { vendor: 'google-workspace' } : {}) },
    )
  const ended = { moved_at: at(-1, -9), settled_at: at(-1, -9) }
  await change('refused', 'workspace-suite-refused', 'REJECTED', { ...ended, created_at: at(2, -7) })
  await change('open', 'workspace-suite-open', 'SENT', { created_at: at(-1), moved_at: at(3 - 2 / 60) })
  await change('wait', 'workspace-suite-wait', 'APPLIED', {
    ...{ ...ended, created_at: at(-1, -9), not_before: at(4) },
  })
  await sample('workspace-suite-wait', at(0, -80), 100, 50)
  await sample('workspace-suite-idle', at(5, -60), 100, 50)
  await sample('workspace-suite-pace', at(0, -100), 100, 98)
  await sample('workspace-suite-pace', at(6, -90), 100, 60)
  await sample('workspace-suite-days', at(7, -20), 100, 96)
}

async function send(key: string, operation: AnyOperation, search = '') {
  const { status, body } = await answer([operation], {
    ...{ method: 'GET', path: operation.contract.path, search, read: async () => new Uint8Array() },
    headers: new Headers({ authorization: `Bearer ${key}` }),
  })
  // The request id differs.
  return status === 200 ? `${body}` : String(status)
}

let fresh = 0
/** Computes an answer: an unknown parameter is ignored, and makes the question a new one. */
const compute = (key: string, operation: AnyOperation) => send(key, operation, `fresh=${++fresh}`)

/** Half a minute before and after each time at which something ends, and the next midnight. */
const MOMENTS = [1, 2, 3, 4, 5, 6, 7, 9, 12].flatMap((hours) =>
  [-30, 30].map((seconds) => new Date(at(hours).getTime() + seconds * 1000).toISOString()),
)
const CASES = [listNeeds, listRenewals].flatMap((operation) =>
  [0, 1, 2].map((index) => [operation as AnyOperation, index] as const),
)

test('cached needs and renewals end when time changes them', async () => {
  await vi.waitUntil(async () => (await send(keys[0] ?? '', listNeeds)) && cacheStats().answers > 0)
  const changed = new Map<string, number>()
  const before = new Map<string, string>()
  for (const time of MOMENTS) {
    await db.setToday(time.slice(0, 10), time.slice(11, 19))
    for (const [operation, index] of CASES) {
      const [key, name] = [keys[index] ?? '', `${operation.contract.name} ${index}`]
      const expected = await compute(key, operation)
      expect.soft([name, time, await send(key, operation)]).toEqual([name, time, expected])
      expect.soft(await send(key, operation)).toEqual(expected)
      if ((before.get(name) ?? expected) !== expected) changed.set(name, (changed.get(name) ?? 0) + 1)
      before.set(name, expected)
    }
  }
  // Each moment of the day changes the needs of an IT Manager, except the ninth hour: 90 days are days of UTC.
  expect(changed.get('listNeeds 1')).toBeGreaterThanOrEqual(7)
  expect(changed.get('listRenewals 1')).toBe(2)
  expect(cacheStats().hits).toBeGreaterThan(50)
})
