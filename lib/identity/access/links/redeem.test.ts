import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { setDisabled } from '#lib/identity/members/store.ts'
import { toProblem } from '#lib/platform/api/error-mapper.ts'
import { digestOf } from '#lib/platform/caller/credentials.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { findSessionCaller } from '#lib/platform/caller/session.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer, addMember, addNewCustomer } from '#lib/platform/db/test-rows.ts'
import { run } from '#lib/platform/db/test-servers/test-server.ts'
import { hashPassword } from '../passwords/hash.ts'
import { findPerson } from '../people/find-person.ts'
import { signIn } from '../sign-in.ts'
import { findLink, viewOfLink } from './find-link.ts'
import { redeemLink } from './redeem.ts'
import type { LinkKind } from './rules.ts'
import { addLink, listOpenLinks, withdrawLinks } from './store.ts'

const [OLD, NEW] = ['correct horse battery', 'a new horse battery']
const [alder, birch] = ['alder', 'birch'] as CustomerId[] as [CustomerId, CustomerId]
let database: TestDatabase
let [hash, email, made] = ['', '', 0]

beforeAll(async () => {
  database = await testDatabase()
  for (const id of [alder, birch]) await addCustomer(id)
  hash = await hashPassword(OLD)
})
afterAll(() => database.close())
beforeEach(() => {
  email = `ana.${++made}@alder.example`
})

const invited = { passwordHash: null, invitedAt: new Date() }
const join = (customer: string, more: object = {}) =>
  addMember(customer, { roles: ['it-manager'], email, name: 'Ana', passwordHash: hash, ...more })
const link = async (customerId: CustomerId, memberId: string, kind: LinkKind = 'invitation') =>
  (await scope({ customerId }, (tx) => addLink(tx, customerId, { memberId, kind, by: 'operator' }))).secret
const redeem = (secret: string, password = NEW, isNew = true) => redeemLink({ secret, password, isNew })
const problemOf = async (done: Promise<unknown>) => {
  const error = await done.then(() => undefined, toProblem)
  return error && [error.code, error.more.errors?.[0]?.pointer]
}
const UNKNOWN_LINK = ['not_found', undefined]
/** Returns the customer that a password opens, `several`, or the outcome of a failed sign-in. */
async function opens(password: string) {
  const outcome = await signIn(
    { email, password },
    { address: `192.0.2.${made}`, userAgent: '', cookies: '' },
  )
  if (outcome.kind === 'pending') return 'several'
  if (outcome.kind !== 'signed-in') return outcome.kind
  return (await findSessionCaller(digestOf(outcome.sid)))?.customerId
}
const older = (time: string) =>
  run(
    database.url,
    `ALTER TABLE account_links DISABLE ROW LEVEL SECURITY;
     UPDATE account_links SET expires_at = expires_at - interval '${time}';
     ALTER TABLE account_links ENABLE ROW LEVEL SECURITY`,
  )

describe('an invitation', () => {
  it('is accepted with a new password, which opens that membership', async () => {
    const member = await join(alder, invited)
    const secret = await link(alder, member)
    expect(await opens(NEW)).toBe('refused')
    expect(await viewOfLink('invitation', secret)).toEqual({
      ...{ state: 'open', email, customer: 'alder', passwordPrompt: 'either' },
    })
    expect(await redeem(secret)).toBe(email)
    expect(await opens(NEW)).toBe('alder')
    expect(await viewOfLink('invitation', secret)).toEqual({ state: 'used' })
    const [row] = await database.sql(
      alder,
      'SELECT action, actor_kind FROM audit_events WHERE subject = $1',
      [member],
    )
    expect(row).toEqual({ action: 'invitation.accepted', actor_kind: 'member' })
  })

  it.each([
    ['short', 'invalid_request'],
    ['password1234', 'invalid_request'],
    ['x'.repeat(300), 'invalid_request'],
    ['alder.example', 'invalid_request'],
  ])('is not accepted with %s, and stays valid', async (password, code) => {
    const secret = await link(alder, await join(alder, invited))
    expect(await problemOf(redeem(secret, password))).toEqual([code, '/password'])
    expect(await redeem(secret)).toBe(email)
  })

  it('works once, for one of two who redeem it at the same moment', async () => {
    const secret = await link(alder, await join(alder, invited))
    const outcomes = await Promise.all([
      problemOf(redeem(secret)),
      problemOf(redeem(secret, 'my own horse battery')),
    ])
    expect(outcomes.filter((outcome) => outcome === undefined)).toHaveLength(1)
    expect(outcomes).toContainEqual(UNKNOWN_LINK)
    expect(await problemOf(redeem(secret))).toEqual(UNKNOWN_LINK)
  })

  it('ends after seven days, and a link for a new password after half an hour', async () => {
    const member = await join(alder, invited)
    const [invitation, reset] = [await link(alder, member), await link(alder, member, 'reset')]
    await older('29 minutes')
    expect((await findLink(reset))?.state).toBe('open')
    await older('2 minutes')
    expect((await findLink(reset))?.state).toBe('expired')
    await older('6 days 23 hours')
    expect((await findLink(invitation))?.state).toBe('open')
    await older('1 hour')
    expect(await problemOf(redeem(invitation))).toEqual(UNKNOWN_LINK)
    expect(await viewOfLink('invitation', invitation)).toEqual({ state: 'expired' })
  })

  it('is withdrawn by a new one, by an Admin, and with its member', async () => {
    const member = await join(alder, invited)
    const first = await link(alder, member)
    const second = await link(alder, member)
    expect(await problemOf(redeem(first))).toEqual(UNKNOWN_LINK)
    const open = () => scope({ customerId: alder }, (tx) => listOpenLinks(tx, alder, member))
    expect(await open()).toMatchObject([{ memberId: member, kind: 'invitation', madeBy: 'operator' }])
    await scope({ customerId: alder }, (tx) => withdrawLinks(tx, alder, member))
    expect([await open(), await viewOfLink('invitation', second)]).toEqual([[], { state: 'withdrawn' }])
    const third = await link(alder, member)
    await scope({ customerId: alder }, (tx) => setDisabled(tx, alder, member, true))
    await scope({ customerId: alder }, (tx) => setDisabled(tx, alder, member, false))
    expect(await problemOf(redeem(third))).toEqual(UNKNOWN_LINK)
  })

  it('is either used or withdrawn, when it is withdrawn or its member disabled during the redemption', async () => {
    for (const end of ['withdraw', 'disable']) {
      email = `ana.${++made}@alder.example`
      const member = await join(alder, invited)
      const secret = await link(alder, member)
      const [outcome] = await Promise.all([
        problemOf(redeem(secret)),
        scope({ customerId: alder }, (tx) =>
          end === 'withdraw' ? withdrawLinks(tx, alder, member) : setDisabled(tx, alder, member, true),
        ),
      ])
      const opened = await opens(NEW)
      if (outcome !== undefined) expect([outcome, opened]).toEqual([UNKNOWN_LINK, 'refused'])
      else expect(opened).toBe(end === 'withdraw' ? 'alder' : 'refused')
    }
  })

  it('is either accepted before its customer is closed, or rejected after it', async () => {
    const closing = (await addNewCustomer()) as CustomerId
    const member = await join(closing, invited)
    const secret = await link(closing, member)
    const [gate, isLocked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const hold = async (tx: Transaction) => {
      await tx.execute(`SELECT FROM members WHERE id = '${member}' FOR UPDATE`)
      isLocked.resolve()
      await gate.promise
    }
    const locking = scope({ customerId: closing }, hold, { evenIfClosed: true })
    await isLocked.promise
    const redeeming = problemOf(redeem(secret))
    const { app } = database.opened
    // The transaction that closes a customer takes this lock: see the migration `closed-customers`.
    const closes = 'SELECT pg_try_advisory_xact_lock(43, hashtext($1)) AS at_once'
    const waits =
      "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    try {
      await expect.poll(async () => (await app.query(waits)).rowCount).toBeGreaterThan(0)
      expect((await app.query(closes, [closing])).rows).toEqual([{ at_once: false }])
    } finally {
      gate.resolve()
      await locking
    }
    expect(await redeeming).toBeUndefined()
    const closedLink = await link(closing, await join(closing, { ...invited, email: `late.${email}` }))
    await run(
      database.url,
      `SET console.operated = '${closing}'; UPDATE customers SET closed_at = now(), gone_at = now() WHERE id = '${closing}'`,
    )
    expect(await problemOf(redeem(closedLink))).toEqual(UNKNOWN_LINK)
  })

  it('is unknown with a wrong secret, or on the page of the other kind', async () => {
    expect(await problemOf(redeem('x'.repeat(43)))).toEqual(UNKNOWN_LINK)
    expect(await viewOfLink('invitation', 'x'.repeat(43))).toEqual({ state: 'unknown' })
    const secret = await link(alder, await join(alder, invited))
    expect(await viewOfLink('reset', secret)).toEqual({ state: 'unknown' })
    const stored = await database.opened.signIn.query('SELECT digest FROM account_links')
    expect(JSON.stringify(stored.rows)).not.toContain(secret)
  })
})

describe('an invitation for a member of another customer', () => {
  it('is accepted with the password from the other customer, which then opens both', async () => {
    await join(alder, { passwordHash: null })
    await run(database.url, `UPDATE people SET password_hash = '${hash}' WHERE email = '${email}'`)
    const secret = await link(birch, await join(birch, invited))
    expect(await problemOf(redeem(secret, 'wrong wrong wrong', false))).toEqual([
      'invalid_request',
      '/password',
    ])
    expect(await opens(OLD)).toBe('alder')
    expect(await redeem(secret, OLD, false)).toBe(email)
    expect(await opens(OLD)).toBe('several')
  })

  it('looks the same as one for an address without memberships', async () => {
    const newcomer = await link(birch, await join(birch, invited))
    const view = await viewOfLink('invitation', newcomer)
    const wrong = await problemOf(redeem(newcomer, OLD, false))
    email = `ana.${++made}@alder.example`
    await join(alder)
    const existing = await link(birch, await join(birch, invited))
    expect(await viewOfLink('invitation', existing)).toEqual({ ...view, email })
    expect(await problemOf(redeem(existing, 'wrong wrong wrong', false))).toEqual(wrong)
  })

  it('opens nothing elsewhere and takes nothing away, when its author redeems it', async () => {
    await join(alder)
    await redeem(await link(birch, await join(birch, invited)))
    expect([await opens(NEW), await opens(OLD)]).toEqual(['birch', 'alder'])
  })

  it('tries passwords no faster than a sign-in does', async () => {
    await join(alder)
    const secret = await link(birch, await join(birch, invited))
    const outcomes = []
    for (let n = 0; n < 7; n++)
      outcomes.push((await problemOf(redeem(secret, `wrong wrong ${n}`, false)))?.[0])
    expect(outcomes.slice(0, 5)).toEqual(Array(5).fill('invalid_request'))
    expect(outcomes).toContain('rate_limited')
  })
})

describe('a link for a new password', () => {
  it('sets the password of its customer and ends the sessions there, where it was made for one customer', async () => {
    const member = await join(alder, { passwordHash: null })
    await join(birch, { passwordHash: null })
    await run(database.url, `UPDATE people SET password_hash = '${hash}' WHERE email = '${email}'`)
    const secret = await link(alder, member, 'reset')
    expect(await viewOfLink('reset', secret)).toMatchObject({ passwordPrompt: 'new', customer: 'alder' })
    expect(await problemOf(redeem(secret, OLD, false))).toEqual(['invalid_request', '/isNew'])
    await redeem(secret)
    // A password that an Admin may have chosen opens only this membership, and the former password does not open it any
    // more.
    expect([await opens(NEW), await opens(OLD)]).toEqual(['alder', 'birch'])
  })

  it('reuses one salt for all passwords of a person, so that one computation compares them all', async () => {
    await join(alder)
    await redeem(await link(birch, await join(birch, invited)))
    const person = await findPerson(email)
    const salts = new Set(person?.memberships.map(({ passwordHash }) => passwordHash?.split('$')[4]))
    expect([person?.memberships.length, salts.size]).toEqual([2, 1])
  })
})
