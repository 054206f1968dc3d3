import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newFeedSecret } from '#lib/costs/renewal-feeds/secrets.ts'
import { findLink } from '#lib/identity/access/links/find-link.ts'
import { addLink } from '#lib/identity/access/links/store.ts'
import { findPerson } from '#lib/identity/access/people/find-person.ts'
import { openDatabase } from '#lib/platform/db/client.ts'
import { loginOf } from '#lib/platform/db/logins.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer, addKey, addMember } from '#lib/platform/db/test-rows.ts'
import { sentBy } from '#lib/platform/db/test-servers/test-plans.ts'
import { addSession } from '#lib/platform/db/test-sessions.ts'
import { runBackfills } from '#lib/server/backfills/run.ts'
import { findKeyCaller, findScimCaller } from './authenticate.ts'
import { digestOf, newApiKey, newScimToken } from './credentials.ts'
import type { CustomerId } from './rules.ts'
import { findSessionCaller } from './session.ts'
import { asOwner, differences } from './test-differences.ts'

const [alder, birch] = ['alder', 'birch'] as CustomerId[] as [CustomerId, CustomerId]
const email = 'Both@Alder.example'
const NEVER = new AbortController().signal
let database: TestDatabase
let has: { key: string; sid: string; scim: string; link: string; member: string }

beforeAll(async () => {
  database = await testDatabase()
  for (const id of [alder, birch]) await addCustomer(id)
  const member = await addMember(alder, { roles: ['admin'], email })
  await addMember(birch, { roles: ['admin'], email: email.toLowerCase() })
  const [scim, feed] = [newScimToken(), newFeedSecret()]
  await database.sql(
    alder,
    "INSERT INTO scim_tokens (customer_id, id, name, digest, last_four, roles) VALUES ($1, 't', 't', $2, 'abcd', '{}')",
    [alder, digestOf(scim)],
  )
  await database.sql(
    alder,
    "INSERT INTO calendar_feeds (customer_id, member_id, digest, last_four) VALUES ($1, $2, $3, 'abcd')",
    [alder, member, digestOf(feed)],
  )
  const link = await scope({ customerId: alder }, (tx) =>
    addLink(tx, alder, { memberId: member, kind: 'reset', by: 'operator' }),
  )
  const sid = await addSession(alder, member)
  has = { key: await addKey(alder, ['admin']), sid, scim, link: link.secret, member }
})
afterAll(() => database.close())

const opens = async () => [
  (await findKeyCaller(digestOf(has.key)))?.customerId,
  (await findSessionCaller(digestOf(has.sid)))?.customerId,
  (await findScimCaller(has.scim))?.customerId,
  (await findLink(has.link))?.state,
  (await findPerson(email.toUpperCase()))?.memberships.map(({ customerId }) => customerId),
]
const ALL = [alder, alder, alder, 'open', [alder, birch]]

describe('rows with a credential', () => {
  it('are found by their index row', async () => {
    const right = { key: 1, session: 1, 'scim-token': 1, 'calendar-feed': 1, link: 1, address: 2 }
    expect(await differences(database.url)).toEqual({ wrong: [], right })
    expect(await opens()).toEqual(ALL)
    await asOwner(database.url, "DELETE FROM look_ups WHERE kind = 'session'")
    expect((await differences(database.url)).wrong).toEqual(['session'])
    await database.sql(alder, 'SELECT fill_look_ups()')
    expect((await differences(database.url)).wrong).toEqual([])
  })

  it('are found after their digest or address has changed, and no more after deletion', async () => {
    const other = await addMember(alder, { roles: [], email: 'before@alder.example' })
    await addSession(alder, other)
    await database.sql(alder, 'DELETE FROM sessions WHERE member_id = $1', [other])
    await database.sql(alder, "UPDATE members SET email = 'after@alder.example' WHERE id = $1", [other])
    await database.sql(alder, "UPDATE calendar_feeds SET digest = 'another'")
    expect((await differences(database.url)).wrong).toEqual([])
    expect(await findPerson('before@alder.example')).toBeUndefined()
    expect(await findPerson('after@alder.example')).toBeDefined()
    await database.sql(alder, 'DELETE FROM members WHERE id = $1', [other])
    expect(await findPerson('after@alder.example')).toBeUndefined()
    expect((await differences(database.url)).wrong).toEqual([])
    // The address is available again.
    await addMember(birch, { roles: [], email: 'AFTER@alder.example' })
    const freed = await findPerson('after@alder.example')
    expect(freed?.memberships.map(({ customerId }) => customerId)).toEqual([birch])
  })

  it('a rolled-back write leaves no index row', async () => {
    const undone = scope({ customerId: alder }, async (tx) => {
      await tx.execute("UPDATE members SET email = 'undone@alder.example'")
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    expect((await differences(database.url)).wrong).toEqual([])
    expect(await findPerson('undone@alder.example')).toBeUndefined()
  })
})

describe('credentials across customers', () => {
  it('a credential belongs to one customer, and a second customer with it is refused', async () => {
    const digest = digestOf(newApiKey())
    const both = await Promise.allSettled([alder, birch].map((id) => addKey(id, ['admin'], { digest })))
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    const reason = both.find((one) => one.status === 'rejected')?.reason
    expect(reason.cause).toMatchObject({ code: '23505', constraint: 'look_ups_credential' })
  })

  it('an address may belong to several customers, also concurrently', async () => {
    const address = `${randomUUID()}@both.example`
    const add = (id: string) => addMember(id, { roles: ['admin'], email: address })
    await Promise.all([add(alder), add(birch)])
    const person = await findPerson(address)
    expect(person?.memberships.map(({ customerId }) => customerId)).toEqual([alder, birch])
    await expect(add(alder)).rejects.toMatchObject({ cause: { constraint: 'members_own_email' } })
    expect((await differences(database.url)).wrong).toEqual([])
  })

  it('a key moved to another customer is found there by a process that remembers the old one', async () => {
    const key = await addKey(alder, ['admin'])
    expect((await findKeyCaller(digestOf(key)))?.customerId).toBe(alder)
    await asOwner(
      database.url,
      `UPDATE api_keys SET digest = 'gone', revoked_at = now() WHERE digest = '${digestOf(key)}'`,
    )
    expect(await findKeyCaller(digestOf(key))).toBeUndefined()
    await addKey(birch, ['admin'], { digest: digestOf(key) })
    expect((await findKeyCaller(digestOf(key)))?.customerId).toBe(birch)
  })
})

it('a use costs one look-up, the first use two; invalid credentials are never remembered', async () => {
  const key = await addKey(alder, ['admin'], { lastUsedAt: new Date() })
  const sent = async (digest: string) =>
    (await sentBy(() => findKeyCaller(digest))).map(({ text }) => text.includes('look_ups'))
  expect(await sent(digestOf(key))).toEqual([true, false])
  expect(await sent(digestOf(key))).toEqual([false])
  const unknown = digestOf(newApiKey())
  for (let time = 0; time < 2; time++) expect(await sent(unknown)).toEqual([true])
})

describe('row-level security of the index', () => {
  const seen = async (login: 'console_keys' | 'console_sessions' | 'console_sign_in') => {
    const client = new pg.Client(loginOf(database.url, login))
    await client.connect()
    try {
      const { rows } = await client.query('SELECT DISTINCT kind FROM look_ups ORDER BY kind')
      for (const write of ['DELETE FROM look_ups', 'UPDATE look_ups SET customer_id = kind'])
        await expect(client.query(write)).rejects.toMatchObject({ code: '42501' })
      return rows.map(({ kind }) => kind)
    } finally {
      await client.end()
    }
  }

  it('shows each login the kinds that it looks up, and lets none write', async () => {
    expect(await seen('console_keys')).toEqual(['calendar-feed', 'key', 'scim-token'])
    expect(await seen('console_sessions')).toEqual(['session'])
    expect(await seen('console_sign_in')).toEqual(['address', 'link'])
  })

  it("shows no digest in any customer's scope, and no rows of other customers", async () => {
    const { reads, streams, jobs, app } = database.opened
    for (const pool of [app, reads, streams, jobs])
      await expect(pool.query('SELECT digest FROM look_ups')).rejects.toMatchObject({ code: '42501' })
    const seenBy = async (customer: string) =>
      database.sql(customer, 'SELECT DISTINCT customer_id AS whose FROM look_ups')
    expect(await seenBy(alder)).toEqual([{ whose: alder }])
    const others = `DELETE FROM look_ups WHERE customer_id = 'birch' RETURNING id`
    expect(await database.sql(alder, others)).toEqual([])
    const planted = "INSERT INTO look_ups VALUES ('key', 'planted', 'birch', 'x')"
    await expect(database.sql(alder, planted)).rejects.toMatchObject({ code: '42501' })
  })

  it('shows the owner no more after a change than before', async () => {
    const other = `SET console.operated = 'birch'; SET console.customer = 'alder';
      INSERT INTO look_ups VALUES ('key', 'planted', 'birch', 'x'); SELECT fill_look_ups();
      SELECT current_setting('console.operated') AS operated`
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    try {
      const results = (await client.query(other)) as unknown as pg.QueryResult[]
      expect(results.at(-1)?.rows).toEqual([{ operated: 'birch' }])
      await client.query("DELETE FROM look_ups WHERE digest = 'planted'")
    } finally {
      await client.end()
    }
  })
})

describe('rows from before the index', () => {
  it("are found by the previous release's query until the backfill is complete, and by the index afterwards", async () => {
    await asOwner(database.url, 'DELETE FROM look_ups')
    await asOwner(
      database.url,
      "UPDATE backfills SET finished_at = NULL, at_customer = '' WHERE name = 'look-ups'",
    )
    // Stands for another process, which has not seen the backfill complete.
    const before = openDatabase(database.url)
    try {
      expect(await opens()).toEqual(ALL)
      await runBackfills({ signal: NEVER })
      expect((await differences(database.url)).wrong).toEqual([])
      const sent = await sentBy(() => findPerson(email))
      expect(sent.map(({ text }) => text).join()).toContain('look_ups')
      expect(await opens()).toEqual(ALL)
    } finally {
      await before.close()
    }
  })
})
