import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { endPass, openPass, pausePass, saveCursor, schedulePasses } from './passes.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.close())

const account = { vendor: 'google-workspace', vendorAccount: 'default' }
const opened = async () => (await openPass(account)) ?? expect.fail('There is no pass.')

test('A process taken for dead changes neither an ended pass nor its successor', async () => {
  const slow = await opened()
  const other = await opened()
  expect(other).toEqual(slow)
  expect(await saveCursor(account, other, 'two', ['c-1'])).toBe(true)
  await endPass(account, other)
  expect(await saveCursor(account, slow, 'one', [])).toBe(false)
  await schedulePasses()
  // Passes are distinguished by the millisecond of their start.
  await database.opened.jobs.query('SELECT pg_sleep(0.002)')
  const next = await opened()
  expect(next).toMatchObject({ cursor: null, failed: [] })
  expect(await saveCursor(account, slow, 'one', [])).toBe(false)
  await pausePass(account, slow, 600)
  await endPass(account, slow)
  expect(await opened()).toEqual(next)
})
