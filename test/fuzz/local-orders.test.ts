import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addAsset, addCustomer, addKey } from '#lib/platform/db/test-rows.ts'
import { settleOrders } from './order-jobs.ts'
import { ordersIn } from './order-verdict.ts'
import { order } from './orderers.ts'
import { countOf, printSeed, seedOfRun } from './run.ts'
import { CUSTOMER, type Seed } from './stage.ts'

printSeed('test/fuzz/local-orders.test.ts')
const REQUESTS = countOf([150, 500, 2000])
const DAY_MS = 86_400_000
let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.close())

test(`${REQUESTS} orders, withdrawals and PATCHes in our own books begin the next term as ordered`, {
  timeout: 600_000,
}, async () => {
  await addCustomer(CUSTOMER)
  const seeds = Array.from({ length: 12 }, (_, n) => ({ id: `workspace-suite-${n}` }) as Seed)
  const term = { commitmentStart: new Date(Date.now() - 364 * DAY_MS) }
  const bought = {
    purchased: 20,
    assigned: 3,
    isCommitmentPlan: true,
    commitmentEnd: new Date(Date.now() + DAY_MS),
  }
  for (const { id } of seeds) await addAsset(CUSTOMER, id, bought, term)
  const keys = await Promise.all(Array.from({ length: 8 }, () => addKey(CUSTOMER, ['it-manager'])))
  const wish = (random: () => number) => ({ quantity: 10 + Math.floor(random() * 8) })
  const desk = { keys, assetId: ({ id }: Seed) => id, terms: { wish } }
  const answers = await order(desk, seeds, { requests: REQUESTS, seed: seedOfRun('orders') })
  expect(answers['PUT 200']).toBeGreaterThan(0)
  const totals = async () =>
    new Map(
      (await database.sql(CUSTOMER, 'SELECT id, seats_purchased AS total FROM assets')).map((row) => [
        row.id,
        row.total,
      ]),
    )
  const before = await totals()
  const newest = new Map((await ordersIn(database)).map((one) => [one.asset, one]))
  const end = 'statement_timestamp()'
  await database.sql(CUSTOMER, `UPDATE assets SET commitment_end = ${end}`)
  await database.sql(
    CUSTOMER,
    "UPDATE renewal_orders o SET term_end = a.commitment_end FROM assets a WHERE a.id = o.asset_id AND o.state = 'STANDING'",
  )
  await expect.poll(() => settleOrders(database), { interval: 100, timeout: 30_000 }).toEqual([])
  const [after, settled] = [
    await totals(),
    new Map((await ordersIn(database)).map((one) => [one.asset, one])),
  ]
  for (const { id } of seeds) {
    const was = newest.get(id)
    const isActive = was?.state === 'STANDING'
    expect([id, after.get(id)]).toEqual([id, isActive ? Number(was.wanted) : before.get(id)])
    expect(settled.get(id)?.state).toBe(isActive ? 'APPLIED' : was?.state)
  }
  expect([...settled.values()].filter(({ state }) => state === 'APPLIED').length).toBeGreaterThan(0)
})
