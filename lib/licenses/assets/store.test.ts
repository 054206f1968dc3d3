import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addAsset, addCustomer, callerOf } from '#lib/platform/db/test-rows.ts'
import { readSeatHistory } from './operations.ts'
import { movesVersion } from './store.ts'

let db: TestDatabase
let ana: Caller
beforeAll(async () => {
  db = await testDatabase()
  for (const id of ['northwind', 'southwind']) {
    await addCustomer(id)
    await addAsset(id, 'workspace-suite-1', { purchased: 9 })
  }
  ana = await callerOf('northwind', 'it-manager')
})
afterAll(() => db.close())

const at = (text: string) => Date.parse(text)
const add = (customer: string, time: string, purchased: number, assigned: number) =>
  db.sql(customer, 'INSERT INTO seat_readings VALUES ($1, $2, $3, $4, $5)', [
    ...[customer, 'workspace-suite-1', time, purchased, assigned],
  ])
const since = (time: string, caller = ana) => readSeatHistory(caller, 'workspace-suite-1', at(time))

test('The history lists vendor reads, oldest first: the values before, then the last values of each day', async () => {
  expect(await since('2026-01-01T00:00:00Z')).toEqual([])
  await add('northwind', '2026-03-01T09:00:00Z', 40, 30)
  await add('northwind', '2026-03-01T23:59:59Z', 40, 31)
  await add('northwind', '2026-03-02T00:00:00Z', 45, 31)
  await add('northwind', '2026-03-09T10:00:00Z', 45, 33)
  await add('northwind', '2026-03-09T11:00:00Z', 50, 32)
  await add('southwind', '2026-03-09T11:00:00Z', 9, 9)
  const last = [
    { at: at('2026-03-01T23:59:59Z'), purchased: 40, assigned: 31 },
    { at: at('2026-03-02T00:00:00Z'), purchased: 45, assigned: 31 },
    { at: at('2026-03-09T11:00:00Z'), purchased: 50, assigned: 32 },
  ]
  expect(await since('2026-03-02T00:00:00Z')).toEqual(last)
  // Without earlier values, the first entry marks the time since which the values are known.
  const first = { at: at('2026-03-01T09:00:00Z'), purchased: 40, assigned: 30 }
  expect(await since('2026-01-01T00:00:00Z')).toEqual([first, ...last])
  expect(await since('2026-12-01T00:00:00Z')).toEqual([last[2]])
})

test("The history requires the permission and shows only the customer's own reads", async () => {
  const clerk = await callerOf('northwind', 'finance-user')
  await expect(since('2026-01-01T00:00:00Z', clerk)).rejects.toMatchObject({ code: 'permission_denied' })
  const eve = await callerOf('southwind', 'it-manager')
  expect(await since('2026-01-01T00:00:00Z', eve)).toMatchObject([{ purchased: 9 }, { purchased: 9 }])
  expect(await readSeatHistory(ana, 'workspace-suite-none', 0)).toEqual([])
})

describe('the seat version', () => {
  const row = {
    seatsPurchased: 20,
    seatsMaximum: 20,
    planName: 'FLEXIBLE',
    isCommitmentPlan: false,
    status: 'ACTIVE',
  }
  it.each([
    [{ seatsPurchased: 21 }, true],
    [{ seatsMaximum: 30 }, true],
    [{ planName: 'TRIAL' }, true],
    [{ isCommitmentPlan: true }, true],
    [{ status: 'SUSPENDED' }, true],
    [{ seatsAssigned: 3 }, false],
    [{}, false],
  ])('moves with %j: %s', (change, moves) => {
    expect(movesVersion(row, { ...row, ...change })).toBe(moves)
  })
})
