import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer } from '#lib/platform/db/test-rows.ts'
import { runHere } from '../test-run.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
  vi.stubEnv('DATABASE_URL', db.url)
  for (const id of ['sunbird', 'other']) await addCustomer(id)
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await db.close()
})

const prices = (args: string) => runHere(['customers', 'prices', ...args.split(' ')])

test('Prices are shown to IT Managers until an operator hides them, per customer, with one audit row', async () => {
  expect(await prices('sunbird')).toMatchObject({ code: 0, out: 'shown\n' })
  const hide = 'sunbird.example --to-it-managers hidden'
  expect(await prices(hide)).toMatchObject({
    out: 'hidden\n',
    err: 'Prices of sunbird are hidden from now on.\n',
  })
  expect(await prices(hide)).toMatchObject({ out: 'hidden\n', err: 'They were so already.\n' })
  expect([(await prices('sunbird')).out, (await prices('other')).out]).toEqual(['hidden\n', 'shown\n'])
  expect((await prices('sunbird --to-it-managers shown')).out).toBe('shown\n')
  const events = await db.sql(
    'sunbird',
    "SELECT action, actor_kind FROM audit_events WHERE action LIKE 'prices.%' ORDER BY id",
  )
  expect(events.map(Object.values)).toEqual([
    ['prices.hidden', 'operator'],
    ['prices.shown', 'operator'],
  ])
})

test.each(['nobody', 'sunbird --to-it-managers some', ''])('%j is refused', async (args) => {
  expect((await prices(args)).code).not.toBe(0)
})
