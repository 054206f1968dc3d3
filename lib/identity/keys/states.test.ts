import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { listInvoices } from '#lib/billing/invoices/operations.ts'
import { listAssets } from '#lib/licenses/assets/operations.ts'
import { route } from '#lib/platform/api/endpoint.ts'
import { newApiKey } from '#lib/platform/caller/credentials.ts'
import { minted } from '#lib/platform/caller/store.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addKey, addMember, addNewCustomer, addProfile } from '#lib/platform/db/test-rows.ts'
import { bearer, opens, rowOf } from './test-calls.ts'

// Status codes for a key in each of its states.

let database: TestDatabase
let [customerId, ana] = ['', '']
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.close())
beforeEach(async () => {
  customerId = await addNewCustomer()
  await addProfile(customerId, 'emea')
  ana = await addMember(customerId, { roles: ['it-manager', 'finance-user'], name: 'Ana' })
})

const past = new Date(Date.now() - 60_000)
const change = (set: string) => database.sql(customerId, `UPDATE members SET ${set} WHERE id = $1`, [ana])
const status = (handler: (request: Request) => Promise<Response>, path: string, key: string) =>
  handler(new Request(`http://console.example${path}`, { headers: bearer(key) })).then(
    (answer) => answer.status,
  )
const both = async (key: string) => [
  await status(route(listAssets).GET, '/billing/v1/assets', key),
  await status(route(listInvoices).GET, '/billing/v1/invoices', key),
]
const listFailures = () =>
  database.sql(
    customerId,
    "SELECT subject, actor_kind, address, details FROM audit_events WHERE action = 'key.refused'",
  )

describe('a key is rejected with 401 where it is', () => {
  it.each(['lic_x', 'nonsense', `lic_${'a'.repeat(36)}`])('malformed: %s', async (key) => {
    expect(await opens(key)).toBe(401)
  })

  it('unknown', async () => {
    expect(await opens(newApiKey())).toBe(401)
  })

  it.each([
    ['expired', { expiresAt: past }],
    ['revoked', { revokedAt: past }],
    ['rotated out', { expiresAt: past, replacedBy: 'the next' }],
    ['outside of its addresses', { addresses: ['198.51.100.0/24', '2001:db8::/32'] }],
  ])('%s, with the same message as all others', async (_, values) => {
    const key = await addKey(customerId, ['admin'], { issuedBy: ana, ...values })
    const answerTo = async (text: string) => {
      const request = new Request('http://console.example/billing/v1/assets', { headers: bearer(text) })
      const answer = await route(listAssets).GET(request)
      return { ...(await answer.json()), instance: '' }
    }
    expect(await opens(key)).toBe(401)
    expect(await answerTo(key)).toEqual(await answerTo(newApiKey()))
    expect(await rowOf(database, customerId, key)).toMatchObject({ last_used_at: null })
  })

  it('issued by a disabled member; a key of the customer stays valid', async () => {
    const [theirs, customers] = [
      await addKey(customerId, ['it-manager'], { issuedBy: ana }),
      await addKey(customerId, ['it-manager'], { issuedBy: ana, belongsToCustomer: true }),
    ]
    expect([await opens(theirs), await opens(customers)]).toEqual([200, 200])
    await change('disabled_at = now()')
    expect([await opens(theirs), await opens(customers)]).toEqual([401, 200])
    await change('disabled_at = NULL')
    expect(await opens(theirs)).toBe(200)
  })
})

describe('a key follows its issuer’s current access', () => {
  it('with 403 for a role that the issuer lost; a customer’s key keeps the role', async () => {
    const roles = ['it-manager', 'finance-user'] as const
    const theirs = await addKey(customerId, [...roles], { issuedBy: ana })
    const customers = await addKey(customerId, [...roles], { issuedBy: ana, belongsToCustomer: true })
    expect(await both(theirs)).toEqual([200, 200])
    await change("roles = '{finance-user}'")
    expect([await both(theirs), await both(customers)]).toEqual([
      [403, 200],
      [200, 200],
    ])
    await change("roles = '{}'")
    expect([await both(theirs), await both(customers)]).toEqual([
      [403, 403],
      [200, 200],
    ])
  })

  it('and sees the billing profiles that both the key and its issuer see', async () => {
    const { findKeyCaller } = await import('#lib/platform/caller/authenticate.ts')
    const { digestOf } = await import('#lib/platform/caller/credentials.ts')
    const seen = async (key: string) => (await findKeyCaller(digestOf(key)))?.billingProfiles
    const whole = await addKey(customerId, ['finance-user'], { issuedBy: ana })
    const limited = await addKey(customerId, ['finance-user'], {
      issuedBy: ana,
      billingProfiles: ['emea', 'gone'],
    })
    const customers = await addKey(customerId, ['finance-user'], { issuedBy: ana, belongsToCustomer: true })
    expect([await seen(whole), await seen(limited)]).toEqual([['default', 'emea'], ['emea']])
    await change("billing_profiles = '{default}'")
    expect([await seen(whole), await seen(limited), await seen(customers)]).toEqual([
      ['default'],
      [],
      ['default', 'emea'],
    ])
  })
})

describe('a key that is limited to addresses', () => {
  it.each([
    ['198.51.100.7', 200],
    ['198.51.101.7', 401],
    ['2001:db8:1::9', 200],
    ['2001:db9::9', 401],
    ['', 401],
  ])('is answered with %i for %j', async (address, expected) => {
    const key = await addKey(customerId, [], { addresses: ['198.51.100.0/24', '2001:db8::/32'] })
    expect(await opens(key, address)).toBe(expected)
  })

  it('is recorded with a foreign address once a minute, and not counted as used', async () => {
    const key = await addKey(customerId, [], { name: 'ERP', addresses: ['198.51.100.0/24'] })
    for (let n = 0; n < 3; n++) expect(await opens(key, '203.0.113.9')).toBe(401)
    const { id, last_used_at } = await rowOf(database, customerId, key)
    expect(last_used_at).toBeNull()
    // The response does not wait for the record.
    await expect
      .poll(listFailures)
      .toEqual([{ subject: id, actor_kind: 'stranger', address: '203.0.113.9', details: { name: 'ERP' } }])
  })
})

it('the last use of a key is stored with its address, once a minute', async () => {
  const key = await addKey(customerId, [])
  await opens(key, '192.0.2.7')
  await opens(key, '192.0.2.8')
  expect(await rowOf(database, customerId, key)).toMatchObject({ last_used_address: '192.0.2.7' })
  await database.sql(customerId, "UPDATE api_keys SET last_used_at = now() - interval '61 seconds'")
  await opens(key, '2001:db8::7')
  expect(await rowOf(database, customerId, key)).toMatchObject({ last_used_address: '2001:db8::7' })
})

it('a key opens while another transaction holds its row, as parallel requests do', async () => {
  const key = await addKey(customerId, [])
  await scope({ customerId: minted(customerId) }, async (tx) => {
    await tx.execute(sql`SELECT FROM api_keys FOR NO KEY UPDATE`)
    expect(await opens(key)).toBe(200)
  })
  expect(await rowOf(database, customerId, key)).toMatchObject({ last_used_at: null })
})
