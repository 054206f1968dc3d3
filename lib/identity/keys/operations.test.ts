import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer, addKey, addMember, addNewCustomer, addProfile } from '#lib/platform/db/test-rows.ts'
import { bearer, callApi, type Headers, opens, rowOf, signedIn, withKey } from './test-calls.ts'

let database: TestDatabase
let customerId = ''
const people = { ana: '', ben: '', admin: '' }
const by = {} as Record<keyof typeof people, Headers>

beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.close())
beforeEach(async () => {
  customerId = await addNewCustomer()
  await addProfile(customerId, 'emea')
  people.ana = await addMember(customerId, {
    roles: ['it-manager', 'finance-user'],
    name: 'Ana Ruiz',
    email: `ana@${customerId}.example`,
  })
  people.ben = await addMember(customerId, {
    roles: ['finance-user'],
    name: 'Ben',
    billingProfiles: ['emea'],
  })
  people.admin = await addMember(customerId, { roles: ['admin'], name: 'Ad Min' })
  for (const name of ['ana', 'ben', 'admin'] as const) by[name] = await signedIn(customerId, people[name])
})

const NEW = { name: 'ERP', roles: ['finance-user'] }
const issue = (headers: Headers, more: object = {}) =>
  callApi(headers, 'POST', '', { body: { ...NEW, ...more } })
const events = (action: string) =>
  database.sql(
    customerId,
    'SELECT subject, actor_name, details FROM audit_events WHERE action = $1 ORDER BY id',
    [action],
  )
const daysLeft = ({ createTime, expireTime }: { createTime: number; expireTime?: number }) =>
  expireTime && (expireTime - createTime) / 86_400_000
const at = ({ status, json }: Awaited<ReturnType<typeof callApi>>) => [
  status,
  json.code,
  json.errors?.[0]?.pointer,
]

describe('issuing a key', () => {
  it('returns it once, and stores only its visible parts', async () => {
    const limits = { billingProfiles: ['emea'], addresses: ['192.0.2.9/24', '2001:DB8::1', '192.0.2.0/24'] }
    const { status, json, headers } = await issue(by.ana, limits)
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(json.secret).toMatch(/^lic_[0-9A-Za-z]{36}$/)
    expect(json.key).toMatchObject({
      name: 'ERP',
      hint: `${json.secret.slice(0, 8)}…${json.secret.slice(-4)}`,
      status: 'ACTIVE',
      roles: ['finance-user'],
      billingProfiles: ['emea'],
      owner: 'MEMBER',
      issuer: { id: people.ana, name: 'Ana Ruiz', email: `ana@${customerId}.example` },
      addresses: ['192.0.2.0/24', '2001:db8::1/128'],
      isUnused: false,
      isCurrent: false,
    })
    expect(daysLeft(json.key)).toBe(90)
    expect(await opens(json.secret, '192.0.2.200')).toBe(200)
    const read = await callApi(by.ana, 'GET', `/${json.key.id}`)
    expect(read.json).toMatchObject({ lastUseAddress: '192.0.2.200', lastUseTime: expect.any(Number) })
    expect(JSON.stringify(read.json)).not.toContain(json.secret)
    expect(await events('key.issued')).toEqual([
      {
        subject: json.key.id,
        actor_name: 'Ana Ruiz',
        details: {
          name: 'ERP',
          roles: ['finance-user'],
          billingProfiles: ['emea'],
          owner: 'member',
          addresses: ['192.0.2.0/24', '2001:db8::1/128'],
          validHours: 2160,
        },
      },
    ])
  })

  it.each([
    ['a role of others', 'ben', { roles: ['it-manager'] }, [403, 'permission_denied', '/roles']],
    ['the role Admin', 'ana', { roles: ['admin'] }, [403, 'permission_denied', '/roles']],
    [
      'a billing profile of others',
      'ben',
      { billingProfiles: ['default'] },
      [403, 'permission_denied', '/billingProfiles'],
    ],
    [
      'a billing profile of nobody',
      'ben',
      { billingProfiles: ['none'] },
      [403, 'permission_denied', '/billingProfiles'],
    ],
    ['the customer as its owner', 'ana', { owner: 'CUSTOMER' }, [403, 'permission_denied', '/owner']],
    ['more than the most days', 'ana', { validDays: 366 }, [400, 'invalid_request', '/validDays']],
    ['no end', 'admin', { validDays: null }, [400, 'invalid_request', '/validDays']],
    ['no day', 'ana', { validDays: 0 }, [400, 'invalid_request', '/validDays']],
    ['half a day', 'ana', { validDays: 0.5 }, [400, 'invalid_request', '/validDays']],
    ['no role', 'ana', { roles: [] }, [400, 'invalid_request', '/roles']],
    ['a role twice', 'ana', { roles: ['finance-user', 'finance-user'] }, [400, 'invalid_request', '/roles']],
    ['no name', 'ana', { name: '  ' }, [400, 'invalid_request', '/name']],
    ['a name of two lines', 'ana', { name: 'ERP\nline' }, [400, 'invalid_request', '/name']],
    ['a long name', 'ana', { name: 'x'.repeat(101) }, [400, 'invalid_request', '/name']],
    [
      'what is no network',
      'ana',
      { addresses: ['192.0.2.0/24', 'home'] },
      [400, 'invalid_request', '/addresses/1'],
    ],
    ['no network', 'ana', { addresses: [] }, [400, 'invalid_request', '/addresses']],
    ['a field that is none', 'ana', { expires: 1 }, [400, 'invalid_request', '/expires']],
  ] as const)('refuses %s', async (_, who, more, problem) => {
    expect(at(await issue(by[who], more))).toEqual(problem)
    expect(await events('key.issued')).toEqual([])
  })

  it('requires a member with a fresh sign-in, and rejects API keys', async () => {
    const staleSession = await signedIn(customerId, people.ana, 11)
    expect(at(await issue(staleSession))).toEqual([403, 'fresh_sign_in_required', undefined])
    expect(at(await issue(await withKey(customerId, ['admin'])))).toEqual([
      403,
      'permission_denied',
      undefined,
    ])
    expect((await issue({})).status).toBe(401)
    const elsewhere = { ...by.ana, 'sec-fetch-site': 'cross-site' }
    expect(at(await issue(elsewhere))).toEqual([403, 'cross_origin', undefined])
    expect(await events('key.issued')).toEqual([])
  })

  it('uses the lifetime that the operator has configured', async () => {
    vi.stubEnv('KEY_DAYS', '30')
    expect(daysLeft((await issue(by.ana)).json.key)).toBe(30)
    expect(at(await issue(by.ana, { validDays: 31 }))).toEqual([400, 'invalid_request', '/validDays'])
    vi.stubEnv('KEYS_WITHOUT_END', '1')
    const { json } = await issue(by.ana, { validDays: null })
    expect([json.key.status, json.key.expireTime]).toEqual(['ACTIVE', undefined])
    vi.unstubAllEnvs()
  })

  it('for the customer keeps the access that its issuer has now, even when the issuer loses access later', async () => {
    await database.sql(customerId, "UPDATE members SET billing_profiles = '{emea}' WHERE id = $1", [
      people.admin,
    ])
    by.admin = await signedIn(customerId, people.admin)
    const { json } = await issue(by.admin, { owner: 'CUSTOMER', roles: ['admin'] })
    expect(json.key).toMatchObject({
      owner: 'CUSTOMER',
      billingProfiles: ['emea'],
      issuer: { id: people.admin },
    })
    await database.sql(customerId, "UPDATE members SET roles = '{}', disabled_at = now() WHERE id = $1", [
      people.admin,
    ])
    expect(await opens(json.secret)).toBe(200)
    expect((await callApi(bearer(json.secret), 'GET', '?whose=all')).json.keys[0].status).toBe('ACTIVE')
  })
})

describe('listing keys', () => {
  it('returns a member’s own keys, all keys to an Admin, and a key itself', async () => {
    await issue(by.ana, { name: 'of Ana' })
    await issue(by.ben, { name: 'of Ben' })
    const admin = await addKey(customerId, ['admin'], { name: 'of the operator' })
    const other = await addNewCustomer()
    await addKey(other, ['admin'], { name: 'elsewhere' })
    const names = async (headers: Headers, search = '') => {
      const { json } = await callApi(headers, 'GET', search)
      return json.keys?.map(({ name }: { name: string }) => name) ?? json.code
    }
    expect(await names(by.ana)).toEqual(['of Ana'])
    expect(await names(by.ana, '?whose=all')).toBe('permission_denied')
    expect(await names(by.admin)).toEqual([])
    const all = ['of the operator', 'of Ben', 'of Ana']
    expect(await names(by.admin, '?whose=all')).toEqual(all)
    expect(await names(bearer(admin))).toEqual(['of the operator'])
    expect(await names(bearer(admin), '?whose=all')).toEqual(all)
    expect(await names({})).toBe('unauthenticated')
    const { json } = await callApi(bearer(admin), 'GET')
    expect(json.keys[0]).toMatchObject({ isCurrent: true, owner: 'CUSTOMER' })
    expect(json.keys[0]).not.toHaveProperty('issuer')
  })

  it('returns pages of usable or ended keys', async () => {
    for (let n = 0; n < 5; n++) await issue(by.ana, { name: `key ${n}` })
    const { json } = await callApi(by.ana, 'GET', '?maxResults=2')
    const ended = json.keys[0].id
    await callApi(by.ana, 'DELETE', `/${ended}`)
    const seen: string[] = []
    for (let search = '?maxResults=2&state=usable'; search; ) {
      const page = (await callApi(by.ana, 'GET', search)).json
      seen.push(...page.keys.map(({ name }: { name: string }) => name))
      search = page.pageToken ? `?maxResults=2&state=usable&pageToken=${page.pageToken}` : ''
    }
    expect(seen).toEqual(['key 3', 'key 2', 'key 1', 'key 0'])
    const endedKeys = (await callApi(by.ana, 'GET', '?state=ended')).json.keys
    expect(endedKeys.map(({ id, status }: { id: string; status: string }) => [id, status])).toEqual([
      [ended, 'REVOKED'],
    ])
    expect((await callApi(by.ben, 'GET', `?pageToken=${json.pageToken}`)).json.code).toBe(
      'page_token_invalid',
    )
    expect((await callApi(by.ana, 'GET', '?state=old')).status).toBe(400)
  })

  it('marks keys that were unused for 60 days', async () => {
    const days = (n: number) => new Date(Date.now() - n * 86_400_000)
    await addKey(customerId, [], { name: 'never, for long', createdAt: days(61) })
    await addKey(customerId, [], { name: 'long ago', createdAt: days(90), lastUsedAt: days(61) })
    await addKey(customerId, [], { name: 'lately', createdAt: days(90), lastUsedAt: days(59) })
    await addKey(customerId, [], { name: 'new', createdAt: days(59) })
    await addKey(customerId, [], { name: 'revoked', createdAt: days(90), revokedAt: days(1) })
    const { json } = await callApi(by.admin, 'GET', '?whose=all')
    const marked = json.keys.filter(({ isUnused }: { isUnused: boolean }) => isUnused)
    expect(marked.map(({ name }: { name: string }) => name).sort()).toEqual(['long ago', 'never, for long'])
  })
})

describe('renaming and revoking a key', () => {
  it('is allowed to its issuer and to Admins, and results in 404 for others', async () => {
    const { key, secret } = (await issue(by.ana)).json
    const otherCustomer = await addNewCustomer()
    const others = [
      by.ben,
      await withKey(customerId, ['it-manager']),
      await withKey(otherCustomer, ['admin']),
    ]
    const unknown = (await callApi(by.ben, 'GET', '/none')).json
    for (const headers of others)
      for (const [method, body] of [['GET'], ['PATCH', { name: 'x' }], ['DELETE']] as const) {
        const { status, json } = await callApi(headers, method, `/${key.id}`, { body })
        expect([status, { ...json, instance: '' }]).toEqual([404, { ...unknown, instance: '' }])
      }
    expect((await callApi(by.ana, 'PATCH', `/${key.id}`, { body: { name: ' ERP Zurich ' } })).json.name).toBe(
      'ERP Zurich',
    )
    expect((await callApi(by.admin, 'PATCH', `/${key.id}`, { body: { name: 'ERP Basel' } })).json.name).toBe(
      'ERP Basel',
    )
    expect((await events('key.renamed')).map(({ details }) => details)).toEqual([
      { from: 'ERP', to: 'ERP Zurich' },
      { from: 'ERP Zurich', to: 'ERP Basel' },
    ])
    expect(await opens(secret)).toBe(200)
    expect((await callApi(by.admin, 'DELETE', `/${key.id}`)).json).toEqual({ revoked: true })
    expect(await opens(secret)).toBe(401)
    expect((await callApi(by.ana, 'DELETE', `/${key.id}`)).json).toEqual({ revoked: true })
    expect(await events('key.revoked')).toEqual([
      { subject: key.id, actor_name: 'Ad Min', details: { name: 'ERP Basel' } },
    ])
  })

  it('requires a fresh sign-in in a session; an Admin key may do both, and a key may revoke itself', async () => {
    const { key, secret } = (await issue(by.ana)).json
    const staleSession = await signedIn(customerId, people.ana, 11)
    for (const [method, body] of [['PATCH', { name: 'x' }], ['DELETE']] as const)
      expect(at(await callApi(staleSession, method, `/${key.id}`, { body }))).toEqual([
        403,
        'fresh_sign_in_required',
        undefined,
      ])
    expect((await callApi(staleSession, 'GET', `/${key.id}`)).status).toBe(200)
    expect((await callApi(bearer(secret), 'DELETE', `/${key.id}`)).status).toBe(200)
    expect(await opens(secret)).toBe(401)
    const other = (await issue(by.ana)).json
    const admin = await withKey(customerId, ['admin'])
    expect((await callApi(admin, 'PATCH', `/${other.key.id}`, { body: { name: 'x' } })).status).toBe(200)
    expect((await callApi(admin, 'DELETE', `/${other.key.id}`)).status).toBe(200)
    expect(await opens(other.secret)).toBe(401)
    expect((await rowOf(database, customerId, other.secret)).revoked_at).not.toBeNull()
  })
})

describe('revoking a key that was rotated', () => {
  async function chain() {
    const made = [(await issue(by.ana)).json]
    for (let n = 0; n < 2; n++)
      made.push(
        (await callApi(by.ana, 'POST', `/${made.at(-1).key.id}/rotation`, { body: { overlap: '1h' } })).json,
      )
    return made.map(({ key, secret }) => ({ id: key.id as string, secret: secret as string }))
  }
  const opened = (keys: { secret: string }[]) => Promise.all(keys.map(({ secret }) => opens(secret)))

  it('ends that key only, and returns the successor that stays valid', async () => {
    const keys = await chain()
    const [first, second, third] = keys
    const revoke = (id = '') => callApi(by.ana, 'DELETE', `/${id}`)
    expect((await revoke(second?.id)).json).toEqual({ revoked: true, goesOn: third?.id })
    expect(await opened(keys)).toEqual([200, 401, 200])
    // The direct successor has ended, so the one after it is returned.
    expect((await revoke(first?.id)).json).toEqual({ revoked: true, goesOn: third?.id })
    expect((await revoke(third?.id)).json).toEqual({ revoked: true })
    expect(await opened(keys)).toEqual([401, 401, 401])
  })

  it('ends its successors on request, each with an audit event', async () => {
    const keys = await chain()
    const [first, second, third] = keys
    await callApi(by.ana, 'DELETE', `/${first?.id}`)
    expect((await callApi(by.admin, 'DELETE', `/${first?.id}?following=true`)).json).toEqual({
      revoked: true,
    })
    expect(await opened(keys)).toEqual([401, 401, 401])
    expect((await events('key.revoked')).map(({ subject, details }) => [subject, details])).toEqual([
      [first?.id, { name: 'ERP' }],
      [second?.id, { name: 'ERP', follows: first?.id }],
      [third?.id, { name: 'ERP', follows: second?.id }],
    ])
    expect((await callApi(by.ana, 'DELETE', `/${first?.id}?following=yes`)).status).toBe(400)
  })

  it('does not revoke its successor when the former key itself requests it', async () => {
    const keys = await chain()
    const [first, second] = keys
    const answer = await callApi(bearer(first?.secret ?? ''), 'DELETE', `/${first?.id}?following=true`)
    expect(answer.json).toEqual({ revoked: true, goesOn: second?.id })
    expect(await opened(keys)).toEqual([401, 200, 200])
  })
})

it('keys of customers with the same ids are separate', async () => {
  await addCustomer('twin-a')
  await addCustomer('twin-b')
  for (const twin of ['twin-a', 'twin-b']) await addKey(twin, [], { id: 'same', name: twin })
  const headers = await withKey('twin-a', ['admin'])
  expect((await callApi(headers, 'GET', '/same')).json.name).toBe('twin-a')
  await callApi(headers, 'DELETE', '/same')
  const [twinKey] = await database.sql('twin-b', "SELECT revoked_at FROM api_keys WHERE id = 'same'")
  expect(twinKey).toEqual({ revoked_at: null })
})
