import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addKey, addMember, addNewCustomer } from '#lib/platform/db/test-rows.ts'
import { OVERLAP_HOURS, OVERLAPS } from './rules.ts'
import { bearer, callApi, type Headers, opens, rowOf, signedIn, withKey } from './test-calls.ts'

let database: TestDatabase
let customerId = ''
const people = { ana: '', admin: '' }
const by = {} as Record<keyof typeof people, Headers>

beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.close())
beforeEach(async () => {
  customerId = await addNewCustomer()
  people.ana = await addMember(customerId, { roles: ['finance-user'], name: 'Ana' })
  people.admin = await addMember(customerId, { roles: ['admin'], name: 'Ad Min' })
  for (const name of ['ana', 'admin'] as const) by[name] = await signedIn(customerId, people[name])
})

const HOUR = 3_600_000
const days = (n: number) => new Date(Date.now() + n * 24 * HOUR)
const rotate = (headers: Headers, id: string, overlap?: string) =>
  callApi(headers, 'POST', `/${id}/rotation`, { body: overlap === undefined ? {} : { overlap } })
const idOf = async (key: string) => String((await rowOf(database, customerId, key)).id)

describe('the rotation of a key', () => {
  it.each(OVERLAPS)(
    'lets the new key inherit with an overlap of %s, after which the old one ends',
    async (overlap) => {
      const createdAt = days(-80)
      const body = {
        name: 'ERP',
        issuedBy: people.ana,
        billingProfiles: ['default'],
        addresses: ['192.0.2.0/24'],
        createdAt,
        expiresAt: new Date(createdAt.getTime() + 90 * 24 * HOUR),
      }
      const former = await addKey(customerId, ['finance-user'], body)
      const { status, json, headers } = await rotate(by.ana, await idOf(former), overlap)
      expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
      const ends = Date.now() + OVERLAP_HOURS[overlap] * HOUR
      expect(json.former).toMatchObject({
        status: overlap === 'now' ? 'ROTATED' : 'ROTATING',
        replacedBy: json.key.id,
      })
      expect(Math.abs(json.former.expireTime - ends)).toBeLessThan(60_000)
      const { name, roles, billing_profiles, issued_by, addresses } = await rowOf(
        database,
        customerId,
        former,
      )
      expect(await rowOf(database, customerId, json.secret)).toMatchObject({
        ...{ id: json.key.id, name, roles, billing_profiles, issued_by, addresses },
        ...{ replaced_by: null, revoked_at: null, last_used_at: null },
      })
      // The successor gets the full lifetime of the former key, not its remaining one.
      expect(json.key.expireTime - json.key.createTime).toBe(90 * 24 * HOUR)
      expect([await opens(former), await opens(json.secret)]).toEqual([overlap === 'now' ? 401 : 200, 200])
      expect(
        await database.sql(
          customerId,
          "SELECT subject, details FROM audit_events WHERE action = 'key.rotated'",
        ),
      ).toEqual([{ subject: json.former.id, details: { name: 'ERP', overlap, newKey: json.key.id } }])
    },
  )

  it('never prolongs the lifetime of the old key', async () => {
    const former = await addKey(customerId, [], {
      issuedBy: people.ana,
      expiresAt: new Date(Date.now() + 2 * HOUR),
    })
    const { json } = await rotate(by.ana, await idOf(former), '7d')
    expect(json.former.expireTime).toBeLessThan(Date.now() + 3 * HOUR)
  })

  it('has an overlap of 24 hours by default', async () => {
    const former = await addKey(customerId, [], { issuedBy: people.ana })
    const { json } = await rotate(by.ana, await idOf(former))
    expect(Math.round((json.former.expireTime - Date.now()) / HOUR)).toBe(24)
    expect((await rotate(by.ana, json.key.id, '2h')).json.errors).toEqual([
      { pointer: '/overlap', detail: 'must be one of now, 1h, 24h, 7d' },
    ])
  })

  it('preserves a missing expiry only where that is still allowed, and otherwise sets the longest lifetime', async () => {
    vi.stubEnv('KEYS_WITHOUT_END', '1')
    const endless = async () => idOf(await addKey(customerId, [], { issuedBy: people.ana }))
    const allowed = await rotate(by.ana, await endless())
    expect(allowed.json.key.expireTime).toBeUndefined()
    vi.stubEnv('KEYS_WITHOUT_END', '0')
    vi.stubEnv('KEY_DAYS', '30')
    const itself = await addKey(customerId, [])
    for (const [headers, id] of [
      [by.ana, await endless()],
      [by.ana, allowed.json.key.id],
      [bearer(itself), await idOf(itself)],
    ] as const) {
      const { key } = (await rotate(headers, id)).json
      expect(key.expireTime - key.createTime).toBe(30 * 24 * HOUR)
    }
    vi.unstubAllEnvs()
  })

  it('succeeds once for concurrent requests', async () => {
    const id = await idOf(await addKey(customerId, [], { issuedBy: people.ana }))
    const answers = await Promise.all([1, 2, 3, 4].map(() => rotate(by.ana, id)))
    expect(answers.map(({ status, json }) => json.code ?? status).sort()).toEqual([
      200,
      'key_ended',
      'key_ended',
      'key_ended',
    ])
    expect(await database.sql(customerId, 'SELECT FROM api_keys')).toHaveLength(2)
  })

  it.each([
    ['revoked', { revokedAt: new Date() }],
    ['expired', { expiresAt: days(-1) }],
  ])('is a conflict where the key is %s', async (_, body) => {
    const former = await addKey(customerId, [], { issuedBy: people.ana, ...body })
    const { status, json } = await rotate(by.ana, await idOf(former))
    expect([status, json.code]).toEqual([409, 'key_ended'])
  })
})

describe('the permission to rotate', () => {
  it('belongs to the issuer in a fresh session; an Admin can’t rotate another member’s key', async () => {
    const id = await idOf(await addKey(customerId, [], { issuedBy: people.ana }))
    const staleSession = await signedIn(customerId, people.ana, 11)
    expect((await rotate(staleSession, id)).json.code).toBe('fresh_sign_in_required')
    expect((await rotate(by.admin, id)).json.code).toBe('permission_denied')
    expect((await rotate(await withKey(customerId, ['admin']), id)).json.code).toBe('permission_denied')
    expect((await rotate(await withKey(customerId, ['it-manager']), id)).json.code).toBe('not_found')
    expect((await rotate(await withKey(await addNewCustomer(), ['admin']), id)).json.code).toBe('not_found')
    expect((await rotate(by.ana, id)).status).toBe(200)
  })

  it('belongs to an Admin for the customer’s keys, as far as they see its billing profiles', async () => {
    const customers = { belongsToCustomer: true, issuedBy: people.ana }
    const [all, one] = [
      await addKey(customerId, [], customers),
      await addKey(customerId, [], { ...customers, billingProfiles: ['default'] }),
    ]
    expect((await rotate(by.ana, await idOf(one))).json.code).toBe('permission_denied')
    await database.sql(customerId, "UPDATE members SET billing_profiles = '{default}' WHERE id = $1", [
      people.admin,
    ])
    expect((await rotate(by.admin, await idOf(all))).json.code).toBe('permission_denied')
    expect((await rotate(by.admin, await idOf(one))).status).toBe(200)
  })

  it('belongs to the key itself ten times an hour, and then to a member', async () => {
    let key = await addKey(customerId, ['it-manager'], { issuedBy: people.ana })
    await database.sql(customerId, "UPDATE api_keys SET created_at = now() - interval '1 day'")
    for (let n = 0; n < 10; n++) key = (await rotate(bearer(key), await idOf(key), 'now')).json.secret
    const answer = await rotate(bearer(key), await idOf(key))
    expect([answer.status, answer.json.code]).toEqual([429, 'rate_limited'])
    expect(await opens(key)).toBe(200)
    const byPerson = (await rotate(by.ana, await idOf(key))).json.secret
    expect((await rotate(bearer(byPerson), await idOf(byPerson))).status).toBe(200)
  })

  it('belongs to the key itself, and both keys work without a gap', async () => {
    const former = await addKey(customerId, ['it-manager'], { issuedBy: people.ana })
    const { json } = await rotate(bearer(former), await idOf(former), '1h')
    expect(json.former.isCurrent).toBe(true)
    expect([await opens(former), await opens(json.secret)]).toEqual([200, 200])
    expect((await rotate(bearer(json.secret), json.former.id)).json.code).toBe('not_found')
  })
})
