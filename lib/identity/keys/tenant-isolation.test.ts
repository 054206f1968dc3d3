import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer, addKey, addMember } from '#lib/platform/db/test-rows.ts'
import { run } from '#lib/platform/db/test-servers/test-server.ts'
import { callApi, type Headers, opens, signedIn, withKey } from './test-calls.ts'

let database: TestDatabase
let secret = ''
/** Headers of Admins of another customer: by session and by key. */
const eve: Headers[] = []
beforeAll(async () => {
  database = await testDatabase()
  for (const id of ['own', 'other']) await addCustomer(id)
  const ana = await addMember('own', { roles: ['admin'] })
  secret = await addKey('own', ['admin'], { id: 'of-own', issuedBy: ana })
  eve.push(
    await signedIn('other', await addMember('other', { roles: ['admin'] })),
    await withKey('other', ['admin']),
  )
})
afterAll(() => database.close())

async function tryAll() {
  for (const headers of eve) {
    for (const [method, rest, body] of [
      ['GET', '/of-own'],
      ['PATCH', '/of-own', { name: 'taken' }],
      ['POST', '/of-own/rotation', {}],
      ['DELETE', '/of-own'],
    ] as const)
      expect([method, (await callApi(headers, method, rest, { body })).status]).toEqual([method, 404])
    const { json } = await callApi(headers, 'GET', '?whose=all')
    expect(json.keys.some(({ id }: { id: string }) => id === 'of-own')).toBe(false)
  }
  expect(await opens(secret)).toBe(200)
}

describe('row-level security and the customer in each statement isolate customers independently', () => {
  it('both together', tryAll)

  it('a query without the customer neither reads nor changes rows of other customers (row-level security)', async () => {
    const other = { customerId: 'other' as CustomerId }
    const seen = await scope(other, (tx) => tx.execute("SELECT id FROM api_keys WHERE id = 'of-own'"))
    expect(seen.rows).toEqual([])
    const written = await scope(other, (tx) =>
      tx.execute("UPDATE api_keys SET revoked_at = now() WHERE id = 'of-own'"),
    )
    expect(written.rowCount).toBe(0)
    const mails = await scope(other, (tx) =>
      tx.execute("SELECT FROM outbox WHERE content ->> 'keyId' = 'of-own'"),
    )
    expect(mails.rows).toEqual([])
  })

  it('another customer’s key is not found without row-level security (customer in each statement)', async () => {
    for (const table of ['api_keys', 'members'])
      await run(database.url, `ALTER TABLE ${table} DISABLE ROW LEVEL SECURITY`)
    try {
      await tryAll()
      // Row-level security was really disabled.
      expect(await database.sql('other', "SELECT FROM api_keys WHERE id = 'of-own'")).toHaveLength(1)
    } finally {
      for (const table of ['api_keys', 'members'])
        await run(database.url, `ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY`)
    }
  })

  it('the database role that finds keys reads only the columns it needs, and updates only the last use', async () => {
    const { keys, jobs } = database.opened
    for (const query of [
      'SELECT last_four FROM api_keys',
      'UPDATE api_keys SET revoked_at = NULL',
      'UPDATE api_keys SET addresses = NULL',
    ])
      await expect(keys.query(query)).rejects.toMatchObject({ code: '42501' })
    await expect(jobs.query('SELECT digest FROM api_keys')).rejects.toMatchObject({ code: '42501' })
    // Jobs see only keys that expire soon, and this customer has none.
    expect((await jobs.query('SELECT customer_id FROM api_keys')).rows).toEqual([])
  })
})
