import { readFile } from 'node:fs/promises'
import { afterEach, expect, test } from 'vitest'
import { reasonOf } from '#lib/log.ts'
import { migrate } from './migrate.ts'
import { type TestDatabase, testDatabase } from './test-database.ts'
import { addAsset, addCustomer } from './test-rows.ts'
import { run } from './test-server.ts'

let database: TestDatabase
afterEach(() => database.close())

/** The database as it was before the migration that lets a subscription stand in one asset only. */
async function before() {
  database = await testDatabase()
  await run(database.url, 'DROP INDEX assets_one_per_subscription')
  await run(database.url, `DELETE FROM drizzle.__drizzle_migrations WHERE id >= 16`)
  for (const name of ['sunbird', 'northwind']) await addCustomer(name)
}
const add = (customer: string, id: string, subscriptionId: string, vendor = 'google-workspace') =>
  addAsset(customer, id, { purchased: 5 }, { vendor, subscriptionId })

test('subscriptions in several assets are named, and nothing is changed', async () => {
  await before()
  await add('sunbird', 'workspace-suite-1', 'S-1')
  await add('northwind', 'workspace-suite-2', 'S-1')
  await add('northwind', 'workspace-suite-3', 'S-2')
  const told = await migrate(database.url).then(() => 'done', reasonOf)
  expect(told).toContain('A subscription may stand in one asset only.')
  expect(told).toMatch(/google-workspace, customer C1, subscription S-1: .*workspace-suite-1 of sunbird/)
  expect(told).toContain('workspace-suite-2 of northwind')
  expect(told).not.toContain('workspace-suite-3')
  await expect(add('sunbird', 'workspace-suite-4', 'S-2')).resolves.toBeUndefined()
})

test('our own books may repeat themselves, and one of each vendor is one', async () => {
  await before()
  await add('sunbird', 'workspace-suite-1', 'S-1', 'built-in')
  await add('sunbird', 'workspace-suite-2', 'S-1', 'built-in')
  await add('sunbird', 'workspace-suite-3', 'S-1')
  await add('sunbird', 'workspace-suite-4', 'S-1', 'microsoft-partner-center')
  const file = new URL('./migrations/0015_one-asset-per-subscription.sql', import.meta.url)
  await run(database.url, await readFile(file, 'utf8'))
  await expect(add('northwind', 'workspace-suite-5', 'S-1')).rejects.toThrow()
})
