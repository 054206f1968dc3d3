import { randomUUID } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { newFeedSecret } from '#lib/costs/renewal-feeds/secrets.ts'
import { removeFeed, saveFeed } from '#lib/costs/renewal-feeds/store.ts'
import { addLink, mailLink, removeLinks, startLink } from '#lib/identity/access/links/store.ts'
import { addJoined } from '#lib/identity/access/sign-on/bind.ts'
import { addKey, replaceKey } from '#lib/identity/keys/store.ts'
import { addMember, removeInvited } from '#lib/identity/members/store.ts'
import { addToken } from '#lib/identity/scim/tokens.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { accountLinks } from '#lib/platform/db/schema/access/people.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer } from '#lib/platform/db/test-rows.ts'
import { digestOf, newApiKey, newScimToken } from './credentials.ts'
import type { CustomerId } from './rules.ts'
import { addSession, endSession, pruneSessions } from './session.ts'
import { asOwner, differences, withoutTriggers } from './test-differences.ts'

// Stores maintain `look_ups` themselves: the triggers that do it for the previous release are dropped in this test.

const alder = 'alder' as CustomerId
let database: TestDatabase
let member = ''

const inScope = <T>(run: (tx: Transaction) => Promise<T>) => scope({ customerId: alder }, run)
const add = (email: string) =>
  inScope((tx) => addMember(tx, alder, { email, name: 'Ana', roles: ['admin'], addedBy: 'test' }))

beforeAll(async () => {
  database = await testDatabase()
  await withoutTriggers(database.url)
  await addCustomer(alder)
  member = (await add('Ana@alder.example')) ?? ''
})
afterAll(() => database.close())

let before: Record<string, number> = {}
/** Returns by how many rows each kind has grown since the last call. */
const more = async () => {
  const { right } = await differences(database.url)
  const kinds = Object.keys({ ...before, ...right })
  const grown = kinds.map((kind) => [kind, (right[kind] ?? 0) - (before[kind] ?? 0)])
  before = right
  return Object.fromEntries(grown.filter(([, count]) => count !== 0))
}
afterEach(async () => {
  expect((await differences(database.url)).wrong).toEqual([])
  await more()
})

it('a member with two memberships, or a withdrawn one', async () => {
  await more()
  const other = await add('ben@alder.example')
  expect(await add('BEN@alder.example')).toBeUndefined()
  await inScope((tx) =>
    addJoined(tx, alder, {
      email: 'joe@alder.example',
      name: 'Joe',
      roles: [],
      billingProfiles: null,
      addedBy: 'x',
    }),
  )
  expect(await more()).toEqual({ address: 2 })
  await inScope((tx) => addLink(tx, alder, { memberId: other ?? '', kind: 'invitation', by: 'operator' }))
  expect(await more()).toEqual({ link: 1 })
  await inScope((tx) => removeInvited(tx, alder, other ?? ''))
  expect(await more()).toEqual({ address: -1, link: -1 })
})

it('a key and its replacement', async () => {
  const keyOptions = {
    name: 'k',
    roles: [],
    billingProfiles: null,
    issuedBy: null,
    addresses: null,
    hours: null,
  }
  const id = await inScope((tx) => addKey(tx, alder, newApiKey(), { ...keyOptions, owner: 'CUSTOMER' }))
  const how = { hours: 24, mostDays: 90, withoutEnd: false, byPerson: true }
  await inScope((tx) => replaceKey(tx, alder, id, { apiKey: newApiKey(), ...how }))
  expect(await more()).toEqual({ key: 2 })
})

it('a session that is ended, replaced or pruned', async () => {
  const open = () => {
    const digest = digestOf(randomUUID())
    const opened = { digest, address: '192.0.2.1', userAgent: 'x', browser: 'b' }
    return inScope((tx) => addSession(tx, alder, member, opened)).then(() => digest)
  }
  const age = () => asOwner(database.url, "UPDATE sessions SET last_seen_at = now() - interval '2 days'")
  const [first] = [await open(), await open()]
  expect(await more()).toEqual({ session: 2 })
  await inScope((tx) => endSession(tx, alder, first))
  expect(await more()).toEqual({ session: -1 })
  await age()
  await open()
  expect(await more()).toEqual({})
  await age()
  expect(await inScope((tx) => pruneSessions(tx, alder))).toBe(1)
  expect(await more()).toEqual({ session: -1 })
})

it("a directory's token", async () => {
  await inScope((tx) => addToken(tx, alder, newScimToken(), { name: 't', roles: [], days: null }))
  expect(await more()).toEqual({ 'scim-token': 1 })
})

it("a calendar feed's link and its replacement", async () => {
  const replaceFeed = () =>
    inScope((tx) => saveFeed(tx, alder, { memberId: member, secret: newFeedSecret() }))
  await replaceFeed()
  await replaceFeed()
  expect(await more()).toEqual({ 'calendar-feed': 1 })
  expect(await inScope((tx) => removeFeed(tx, alder, member, 'none'))).toBe(false)
  expect(await more()).toEqual({})
  expect(await inScope((tx) => removeFeed(tx, alder, member))).toBe(true)
  expect(await more()).toEqual({ 'calendar-feed': -1 })
})

it('a shown link, a mailed one, also mailed again, and their removal', async () => {
  await inScope((tx) => addLink(tx, alder, { memberId: member, kind: 'invitation', by: 'operator' }))
  await inScope((tx) => mailLink(tx, alder, { memberId: member, kind: 'reset', by: 'operator' }))
  expect(await more()).toEqual({ link: 1 })
  const [{ recipient } = {}] = await database.sql(alder, "SELECT recipient FROM outbox WHERE kind = 'link'")
  const start = () => inScope((tx) => startLink(tx, alder, String(recipient)))
  expect(await start()).toMatchObject({ kind: 'reset' })
  expect(await start()).toMatchObject({ kind: 'reset' })
  expect(await more()).toEqual({ link: 1 })
  expect(await inScope((tx) => removeLinks(tx, alder, eq(accountLinks.memberId, member)))).toBe(2)
  expect(await more()).toEqual({ link: -2 })
})
