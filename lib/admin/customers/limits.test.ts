import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { acquireQuota } from '#lib/platform/caller/limits/budget.ts'
import { newCustomerId } from '#lib/platform/caller/store.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer } from '#lib/platform/db/test-rows.ts'
import { runHere } from '../test-run.ts'

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
  vi.stubEnv('DATABASE_URL', db.url)
  for (const name of ['REQUESTS', 'CHANGES', 'EXPORTS']) vi.stubEnv(`RATE_LIMIT_${name}`, '')
  for (const id of ['sunbird', 'other']) await addCustomer(id)
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await db.close()
})

const limits = (args: string) => runHere(['customers', 'limits', ...args.split(' ')])
const limitsOf = async (customer: string) =>
  JSON.parse((await limits(`${customer} --json`)).out).map(Object.values) as string[][]
const quotaOf = async (customer: string) => {
  const usual = { limit: 1000, together: 5 }
  const quotaRequest = { desired: 1, waiting: 1, seconds: 86_400 }
  return (await acquireQuota({ customerId: newCustomerId(customer), kind: 'requests', usual }, quotaRequest))
    .quota
}

const DEFAULTS = [
  ['requests', '1000', 'settings'],
  ['changes', '60', 'settings'],
  ['exports', '30', 'settings'],
  ['together', '5', 'settings'],
]

test('Limits follow the settings until a customer has its own, which apply immediately', async () => {
  expect(await limitsOf('sunbird')).toEqual(DEFAULTS)
  expect(await quotaOf('sunbird')).toBe(5000)
  expect(await limits('sunbird.example --requests 40 --together 2')).toMatchObject({
    code: 0,
    err: 'The limits of sunbird are set.\n',
  })
  expect(await limitsOf('sunbird')).toEqual([
    ['requests', '40', 'customer'],
    ['changes', '60', 'settings'],
    ['exports', '30', 'settings'],
    ['together', '2', 'customer'],
  ])
  expect(await quotaOf('sunbird')).toBe(80)
  expect([await limitsOf('other'), await quotaOf('other')]).toEqual([DEFAULTS, 5000])
  expect((await limits('sunbird --requests default --exports 7')).code).toBe(0)
  expect((await limitsOf('sunbird')).map(([, value]) => value)).toEqual(['1000', '60', '7', '2'])
  const events = await db.sql(
    'sunbird',
    "SELECT actor_kind, details FROM audit_events WHERE action = 'limits.set'",
  )
  expect(events).toEqual([
    { actor_kind: 'operator', details: { requests: 40, together: 2 } },
    { actor_kind: 'operator', details: { requests: null, exports: 7 } },
  ])
})

test.each([
  ['sunbird --requests 0', 2],
  ['sunbird --changes 1.5', 2],
  ['sunbird --exports -3', 2],
  ['sunbird --together 1001', 2],
  ['nobody', 1],
])('%s is refused without an effect', async (args, code) => {
  const before = await limitsOf('other')
  expect(await limits(args)).toMatchObject({
    code,
    err: expect.stringContaining(code === 2 ? 'whole number' : 'no customer'),
  })
  expect(await limitsOf('other')).toEqual(before)
})
