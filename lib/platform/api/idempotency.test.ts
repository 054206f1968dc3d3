import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { setQuantity } from '#lib/licenses/license-changes/operations.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addAsset, addCustomer, addKey } from '#lib/platform/db/test-rows.ts'
import { isDistributed, run } from '#lib/platform/db/test-servers/test-server.ts'
import { route } from './endpoint.ts'

const MIGRATION = new URL('../db/migrations/0063_packed-answers.sql', import.meta.url)
const CUSTOMER = 'northwind'
const ASSET = 'workspace-suite-1'
const asset = route(setQuantity)
let database: TestDatabase
let apiKey: string

beforeAll(async () => {
  database = await testDatabase()
  await addCustomer(CUSTOMER)
  apiKey = await addKey(CUSTOMER, ['it-manager'])
  await addAsset(CUSTOMER, ASSET, { purchased: 10 })
})
afterAll(() => database.close())

const setPacking = (arePacked: boolean) =>
  run(
    database.url,
    `CREATE OR REPLACE FUNCTION answers_are_packed() RETURNS boolean LANGUAGE sql STABLE RETURN ${arePacked}`,
  )

/**
 * Runs the migration's statements on a database with customers, like an upgrade from the previous release. A
 * distributed database gets its tables distributed after the migrations, when the statements would have found no
 * customers.
 */
async function migrateNow(): Promise<void> {
  if (isDistributed) return setPacking(false)
  const [, ...queries] = readFileSync(MIGRATION, 'utf8').split('--> statement-breakpoint')
  await run(database.url, 'DROP FUNCTION answers_are_packed()', ...queries)
}

async function set(quantity: number, key: string): Promise<string> {
  const body = JSON.stringify({ quantity })
  const response = await asset.PATCH(
    new Request(`http://console.example/billing/v1/assets/${ASSET}`, {
      method: 'PATCH',
      headers: {
        authorization: `Bearer ${apiKey}`,
        'content-type': 'application/json',
        'content-length': `${body.length}`,
        'idempotency-key': key,
      },
      body,
    }),
  )
  expect(response.status).toBe(200)
  return response.text()
}

const storedRow = async (key: string) =>
  (
    await database.sql(
      CUSTOMER,
      `SELECT body, packed IS NOT NULL AS "isPacked" FROM idempotency_keys WHERE customer_id = $1 AND key = $2`,
      [CUSTOMER, key],
    )
  )[0]

test('answers are stored unpacked for the previous release during the hour after the migration, and packed afterwards', async () => {
  await migrateNow()
  const [during, after] = [randomUUID(), randomUUID()]
  const first = await set(11, during)
  expect(await storedRow(during)).toEqual({ body: first, isPacked: false })
  await setPacking(true)
  const second = await set(12, after)
  expect(await storedRow(after)).toEqual({ body: null, isPacked: true })
  expect([await set(11, during), await set(12, after)]).toEqual([first, second])
})
