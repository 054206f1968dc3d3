import { afterAll, beforeAll, expect, test } from 'vitest'
import { setQuantity } from '#lib/licenses/license-changes/operations.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addAsset, addCustomer, callerOf } from '#lib/platform/db/test-rows.ts'
import { readSeatHistories } from './seat-histories.ts'

let database: TestDatabase
const type = 'workspace-suite'
const id = `${type}-1`

beforeAll(async () => {
  database = await testDatabase()
  for (const customer of ['northwind', 'southwind']) {
    await addCustomer(customer)
    await addAsset(customer, id, { purchased: 10 })
  }
  await addAsset('northwind', 'office-suite-1', { purchased: 3 })
  const caller = await callerOf('northwind', 'it-manager')
  const input = { params: { asset_id: id }, query: {}, body: { quantity: 12 }, headers: {} }
  await setQuantity(caller, input, { requestId: 'test' })
})
afterAll(() => database.close())

test('Callers who may read invoices get totals and days; actors are included for callers who see assets', async () => {
  const [history, ...others] = await readSeatHistories(await callerOf('northwind', 'finance-user'), type)
  expect(others).toEqual([])
  expect(history).toEqual({
    names: ['Business Plus', id],
    purchased: 12,
    since: expect.any(Number),
    changes: [{ at: expect.any(Number), from: 10, to: 12 }],
  })
  const [adminHistory] = await readSeatHistories(await callerOf('northwind', 'admin'), type)
  expect(adminHistory?.changes).toEqual([expect.objectContaining({ by: 'test' })])
})

test('Another customer gets its own seats only', async () => {
  const histories = await readSeatHistories(await callerOf('southwind', 'admin'), type)
  expect(histories.map(({ purchased, changes }) => [purchased, changes])).toEqual([[10, []]])
})

test('The history starts when the asset was added', async () => {
  const [history] = await readSeatHistories(await callerOf('southwind', 'admin'), type)
  expect(history?.since).toBeGreaterThan(Date.now() - 60_000)
})

test('The call requires the permission to read invoices', async () => {
  await expect(readSeatHistories(await callerOf('northwind', 'it-manager'), type)).rejects.toMatchObject({
    code: 'permission_denied',
  })
})
