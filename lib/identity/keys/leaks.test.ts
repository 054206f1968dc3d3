import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { callApi as askScim, tokenOf } from '#lib/identity/scim/test-calls.ts'
import { newApiKey, newScimToken } from '#lib/platform/caller/credentials.ts'
import { loginOf } from '#lib/platform/db/logins.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addKey, addMember, addNewCustomer } from '#lib/platform/db/test-rows.ts'
import { rowsRead, sentBy } from '#lib/platform/db/test-servers/test-plans.ts'
import { run } from '#lib/platform/db/test-servers/test-server.ts'
import { runWithRequestContext } from '#lib/platform/runtime/log.ts'
import { endLeakedKeys } from './leaks.ts'
import { bearer, callApi, type Headers, opens, rowOf, show, signedIn } from './test-calls.ts'

let database: TestDatabase
let [customerId, ana] = ['', '']
beforeAll(async () => {
  database = await testDatabase()
  vi.stubEnv('SMTP_URL', 'smtp://127.0.0.1:9')
  vi.stubEnv('MAIL_FROM', 'Billing <billing@reseller.example>')
  vi.stubEnv('BASE_URL', 'http://console.example')
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await database.close()
})
beforeEach(async () => {
  customerId = await addNewCustomer()
  ana = await addMember(customerId, { roles: ['it-manager'], name: 'Ana' })
})

const finding = (token: string) => ({
  token,
  type: 'licenses_invoices_key',
  url: 'https://code.example/a',
  source: 'commit',
})
const events = (customer = customerId) =>
  database.sql(customer, "SELECT subject, actor_kind, details FROM audit_events WHERE action = 'key.leaked'")
const mails = (customer = customerId) =>
  database.sql(
    customer,
    "SELECT recipient AS member_id, content ->> 'event' AS event, content ->> 'keyId' AS key_id, content ->> 'about' AS about FROM outbox ORDER BY recipient",
  )

describe('a leaked key', () => {
  it('is revoked before the response, with an audit event and a mail to its owner', async () => {
    const key = await addKey(customerId, ['it-manager'], { name: 'ERP', issuedBy: ana })
    expect(await show([finding(key)])).toMatchObject({ status: 200, json: { received: 1 } })
    expect(await opens(key)).toBe(401)
    const { id } = await rowOf(database, customerId, key)
    expect(await events()).toEqual([{ subject: id, actor_kind: 'stranger', details: { name: 'ERP' } }])
    expect(await mails()).toEqual([{ member_id: ana, event: 'key-leaked', key_id: id, about: null }])
    // A second report has no effect.
    await show([finding(key), finding(key)])
    expect([(await events()).length, (await mails()).length]).toEqual([1, 1])
  })

  it('is reported to each Admin who can sign in, where it belongs to the customer', async () => {
    const admins = [
      await addMember(customerId, { roles: ['admin'], id: 'm-1' }),
      await addMember(customerId, { roles: ['admin', 'it-manager'], id: 'm-2' }),
    ]
    await addMember(customerId, { roles: ['admin'], id: 'm-3', disabledAt: new Date() })
    const keys = [
      await addKey(customerId, []),
      await addKey(customerId, [], { issuedBy: ana, belongsToCustomer: true }),
    ]
    await show(keys.map(finding))
    expect((await mails()).map(({ member_id }) => member_id)).toEqual([
      admins[0],
      admins[0],
      admins[1],
      admins[1],
    ])
  })

  it('is found among keys of several customers and texts that are not keys', async () => {
    const other = await addNewCustomer()
    const keys = [await addKey(customerId, []), await addKey(other, []), await addKey(customerId, [])]
    const tokens = [...keys, newApiKey(), 'nonsense', '', `lic_${'a'.repeat(36)}`]
    expect((await show(tokens.map(finding))).json).toEqual({ received: 7 })
    expect(await Promise.all(keys.map((key) => opens(key)))).toEqual([401, 401, 401])
    expect([(await events()).length, (await events(other)).length]).toEqual([2, 1])
  })

  it('is revoked even where its address range or its disabled issuer prevents its use', async () => {
    const limited = await addKey(customerId, [], { addresses: ['198.51.100.0/24'] })
    const theirs = await addKey(customerId, [], { issuedBy: ana })
    await database.sql(customerId, 'UPDATE members SET disabled_at = now() WHERE id = $1', [ana])
    await show([finding(limited), finding(theirs)])
    await database.sql(customerId, 'UPDATE members SET disabled_at = NULL WHERE id = $1', [ana])
    expect([await opens(limited, '198.51.100.1'), await opens(theirs)]).toEqual([401, 401])
  })
})

describe('the successor of a leaked key', () => {
  /** Rotates a key repeatedly, and returns all keys, oldest first. */
  async function chain(times: number, headers: (key: string) => Headers, options: object = {}) {
    const keys = [await addKey(customerId, ['it-manager'], { name: 'ERP', issuedBy: ana, ...options })]
    for (let n = 0; n < times; n++) {
      const former = keys.at(-1) ?? ''
      const { id } = await rowOf(database, customerId, former)
      keys.push(
        (await callApi(headers(former), 'POST', `/${id}/rotation`, { body: { overlap: '1h' } })).json.secret,
      )
    }
    return keys
  }
  const opened = (keys: string[]) => Promise.all(keys.map((key) => opens(key)))

  it.each([
    ['a member’s', {}],
    ['the customer’s', { belongsToCustomer: true }],
  ])('is revoked with it after any number of self-rotations: %s', async (_, options) => {
    const admin = await addMember(customerId, { roles: ['admin'] })
    const keys = await chain(3, bearer, options)
    expect(await opened(keys)).toEqual([200, 200, 200, 200])
    await show([finding(keys[0] ?? '')])
    expect(await opened(keys)).toEqual([401, 401, 401, 401])
    const ids = await Promise.all(keys.map(async (key) => (await rowOf(database, customerId, key)).id))
    expect((await events()).map(({ subject, details }) => [subject, details])).toEqual(
      ids.map((id, at) => [id, at === 0 ? { name: 'ERP' } : { name: 'ERP', follows: ids[at - 1] }]),
    )
    const owner = 'belongsToCustomer' in options ? admin : ana
    expect(await mails()).toEqual([{ member_id: owner, event: 'key-leaked', key_id: ids[0], about: '4' }])
  })

  it('is revoked even where the leaked key had expired or was revoked long before', async () => {
    const ended = await chain(1, bearer, {})
    await database.sql(
      customerId,
      "UPDATE api_keys SET expires_at = '2026-01-01' WHERE replaced_by IS NOT NULL",
    )
    const revoked = await chain(1, bearer, {})
    const { id } = await rowOf(database, customerId, revoked[0] ?? '')
    await callApi(await signedIn(customerId, ana), 'DELETE', `/${id}`)
    expect(await opened([...ended, ...revoked])).toEqual([401, 200, 401, 200])
    await show([finding(ended[0] ?? ''), finding(revoked[0] ?? '')])
    expect(await opened([...ended, ...revoked])).toEqual([401, 401, 401, 401])
  })

  it('stays valid where a signed-in member rotated it, because the finder of the former key did not get it', async () => {
    const session = await signedIn(customerId, ana)
    const keys = await chain(2, () => session)
    await show([finding(keys[0] ?? '')])
    expect(await opened(keys)).toEqual([401, 200, 200])
    await show([finding(keys[1] ?? '')])
    expect(await opened(keys)).toEqual([401, 401, 200])
  })

  it('ends or stays valid according to the audit log if the key does not name its requester', async () => {
    const session = await signedIn(customerId, ana)
    const [byPerson, byKey] = [await chain(1, () => session), await chain(1, bearer)]
    await database.sql(customerId, 'UPDATE api_keys SET replaced_by_person = NULL')
    await show([finding(byPerson[0] ?? ''), finding(byKey[0] ?? '')])
    expect(await opened([...byPerson, ...byKey])).toEqual([401, 200, 401, 401])
  })

  it('is looked up in the audit log at the time of its rotation, however many events follow', async () => {
    const keys = await chain(2, bearer)
    await database.sql(customerId, 'UPDATE api_keys SET replaced_by_person = NULL')
    await database.sql(
      customerId,
      `INSERT INTO audit_events (customer_id, at, action, subject, actor_kind, actor_id, actor_name, request_id, details)
       SELECT $1, now() + n * interval '1 minute', 'quantity.changed', 'asset', 'key', 'k', 'Key', 'r', '{}'
       FROM generate_series(2, 5001) n`,
      [customerId],
    )
    await run(database.url, 'ANALYZE audit_events')
    const queries = await sentBy(() => show([finding(keys[0] ?? '')]))
    expect(await opened(keys)).toEqual([401, 401, 401])
    const client = new pg.Client(loginOf(database.url, 'console_app'))
    await client.connect()
    await client.query("SELECT set_config('console.customer', $1, false)", [customerId])
    const historyQueries = queries.filter(({ text }) => text.includes("'key.rotated'"))
    const reads = await rowsRead(client, historyQueries)
    await client.end()
    expect(reads.map(({ from }) => from.audit_events)).toEqual([expect.any(Number)])
    expect(reads[0]?.from.audit_events).toBeLessThan(20)
  })

  it('is revoked by the same number of statements, however often it was rotated', async () => {
    const counts = []
    for (const times of [2, 8]) {
      const keys = await chain(times, bearer)
      const queries = await sentBy(() => show([finding(keys[0] ?? '')]))
      expect(await opened(keys)).toEqual(keys.map(() => 401))
      counts.push(queries.filter(({ text }) => text.includes('api_keys')).length)
    }
    expect(counts[1]).toBe(counts[0])
    expect(counts[0]).toBeGreaterThan(0)
  })

  it('has an audit event only where it was still usable', async () => {
    const keys = await chain(3, bearer)
    await database.sql(
      customerId,
      "UPDATE api_keys SET expires_at = '2026-01-01' WHERE replaced_by IS NOT NULL",
    )
    await show([finding(keys[0] ?? '')])
    expect(await opened(keys)).toEqual([401, 401, 401, 401])
    expect([(await events()).length, (await mails()).map(({ about }) => about)]).toEqual([2, ['2']])
  })

  it('is revoked where rotation and report are concurrent', async () => {
    for (let round = 0; round < 10; round++) {
      const [former = ''] = await chain(0, bearer)
      const { id } = await rowOf(database, customerId, former)
      const [rotated] = await Promise.all([
        callApi(bearer(former), 'POST', `/${id}/rotation`, { body: {} }),
        show([finding(former)]),
      ])
      expect(await opens(former)).toBe(401)
      if (rotated.status === 200) expect(await opens(rotated.json.secret)).toBe(401)
    }
  })
})

describe('a leaked directory token', () => {
  it('is revoked before the response, with an audit event and a mail to each Admin', async () => {
    const admin = await addMember(customerId, { roles: ['admin'] })
    await addMember(customerId, { roles: ['admin'], disabledAt: new Date() })
    const token = await tokenOf(customerId)
    await show([finding(newScimToken()), finding(token)])
    expect((await askScim(token, 'GET', '/Users')).status).toBe(401)
    const leaks = () =>
      database.sql(
        customerId,
        "SELECT actor_kind, details FROM audit_events WHERE action = 'scim-token.leaked'",
      )
    const [{ name } = {}] = await database.sql(customerId, 'SELECT name FROM scim_tokens')
    expect(await leaks()).toEqual([{ actor_kind: 'stranger', details: { name } }])
    const mailRows = await database.sql(
      customerId,
      "SELECT recipient AS member_id, content ->> 'event' AS event, content ->> 'about' AS about FROM outbox",
    )
    expect(mailRows).toEqual([{ member_id: admin, event: 'scim-token-leaked', about: name }])
    await show([finding(token)])
    expect(await leaks()).toHaveLength(1)
  })
})

describe('the response', () => {
  it('is the same for a key, an unknown key and nonsense, and takes a minimum time', async () => {
    const answers = []
    for (const token of [
      await addKey(customerId, []),
      await tokenOf(customerId),
      newScimToken(),
      newApiKey(),
      'nonsense',
    ]) {
      const began = performance.now()
      const { status, json, headers } = await show([finding(token)])
      const { 'request-id': _, ...kept } = Object.fromEntries(headers)
      answers.push({ status, json, kept })
      expect(performance.now() - began).toBeGreaterThan(295)
    }
    for (const answer of answers) expect(answer).toEqual(answers[0])
  })

  it('is an error for a body that is not a list of keys', async () => {
    for (const body of [[], {}, [{}], [{ token: 5 }], Array.from({ length: 101 }, () => finding('x'))])
      expect((await show(body)).status).toBe(400)
    const full = Array.from({ length: 100 }, () => ({ ...finding(newApiKey()), url: 'x'.repeat(150) }))
    expect((await show(full)).status).toBe(200)
    expect((await show(full.map((one) => ({ ...one, url: 'x'.repeat(300) })))).status).toBe(413)
  })
  it('is a server error where no handler revokes calendar links, instead of a false success', async () => {
    vi.stubGlobal('licensesInvoicesLeakedFeeds', undefined)
    const key = await addKey(customerId, ['it-manager'], { issuedBy: ana })
    await expect(endLeakedKeys([key], 'request-of-a-test')).rejects.toThrow('handleLeakedFeeds')
    vi.unstubAllGlobals()
    expect(await opens(key)).toBe(401)
  })
})

describe('a flood of reports', () => {
  it('sends no query for texts without the format of a secret', async () => {
    const malformed = [
      '',
      'nonsense',
      `lic_${'a'.repeat(36)}`,
      `scim_${'a'.repeat(36)}`,
      'lic_\u0000',
      'x'.repeat(1000),
    ]
    expect(await sentBy(() => show(malformed.map(finding)))).toEqual([])
    expect(await sentBy(() => show([...malformed, newApiKey()].map(finding)))).not.toEqual([])
  })

  it('takes no connection from the authentication of keys', async () => {
    const key = await addKey(customerId, ['it-manager'])
    // Each connection that reports may use is blocked by another transaction.
    const { leaks } = database.opened
    const blocked = await Promise.all(Array.from({ length: leaks.options.max ?? 1 }, () => leaks.connect()))
    const report = show([finding(key)])
    expect(await opens(key)).toBe(200)
    for (const one of blocked) one.release()
    expect((await report).status).toBe(200)
    expect(await opens(key)).toBe(401)
  })

  it('is answered 503 with Retry-After beyond two concurrent reports and ten that wait', async () => {
    const { leaks } = database.opened
    const blocked = await leaks.connect()
    const reports = Array.from({ length: 15 }, () => show([finding(newApiKey())]))
    const rejected = await Promise.all(reports.slice(12))
    for (const { status, headers } of rejected)
      expect([status, headers.get('retry-after')]).toEqual([503, '2'])
    blocked.release()
    expect((await Promise.all(reports.slice(0, 12))).map(({ status }) => status)).toEqual(Array(12).fill(200))
  })

  it('counts each five texts against the limit of the sender’s address', async () => {
    const charged: number[] = []
    const report = (count: number) =>
      runWithRequestContext(
        {
          requestId: 'request',
          address: '192.0.2.1',
          agent: undefined,
          charge: (weight) => charged.push(weight),
        },
        () => endLeakedKeys(Array(count).fill('nonsense'), 'request'),
      )
    for (const count of [1, 5, 6, 100]) await report(count)
    expect(charged).toEqual([1, 19])
  })
})
