import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { setQuantity } from '#lib/licenses/license-changes/operations.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addAsset, addCustomer, addKey } from '#lib/platform/db/test-rows.ts'
import { isDistributed, run } from '#lib/platform/db/test-server.ts'
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
 * What the migration says where there are customers by now: as for whoever installs this release over the one before. A database
 * is spread after its migrations, and has no customers where they looked for them.
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

test('for an hour after the migration answers are kept as the release before reads them, and packed from then on', async () => {
  await migrateNow()
  const [during, after] = [randomUUID(), randomUUID()]
  const first = await set(11, during)
  expect(await storedRow(during)).toEqual({ body: first, isPacked: false })
  await setPacking(true)
  const second = await set(12, after)
  expect(await storedRow(after)).toEqual({ body: null, isPacked: true })
  expect([await set(11, during), await set(12, after)]).toEqual([first, second])
})
