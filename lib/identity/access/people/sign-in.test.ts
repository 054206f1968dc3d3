import { encode } from 'next-auth/jwt'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { setDisabled } from '#lib/identity/members/store.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { session, sessionSecret } from '#lib/platform/caller/session.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer, addMember } from '#lib/platform/db/test-rows.ts'
import { run } from '#lib/platform/db/test-servers/test-server.ts'
import { hashPassword } from '../passwords/hash.ts'
import { type SignedIn, signIn } from '../sign-in.ts'
import { choicesOf, mayChange } from '../sign-ins/choices.ts'
import { pendingCookie, prunePending } from '../sign-ins/pending.ts'
import { selectCustomer } from '../sign-ins/steps.ts'

const PASSWORD = 'correct horse battery'
let database: TestDatabase
let [hash, email, made] = ['', '', 0]

beforeAll(async () => {
  database = await testDatabase()
  for (const id of ['alder', 'birch', 'cedar']) await addCustomer(id)
  hash = await hashPassword(PASSWORD)
})
afterAll(() => database.close())
beforeEach(() => {
  email = `ana.${++made}@alder.example`
})

const join = (customer: string, more: object = {}) =>
  addMember(customer, {
    roles: ['it-manager'],
    email,
    name: `Ana at ${customer}`,
    passwordHash: hash,
    ...more,
  })
const client = (cookies = '') => ({ address: '192.0.2.1', userAgent: 'Test', cookies })
const enter = (password = PASSWORD) => signIn({ email, password }, client())
const cookieOf = (header: string) => header.split(';')[0] ?? ''
const pendingOf = (outcome: SignedIn) => {
  if (outcome.kind !== 'pending') throw new Error(outcome.kind)
  return cookieOf(pendingCookie(outcome.id))
}
const signedIn = async (outcome: SignedIn) => {
  if (outcome.kind !== 'signed-in') throw new Error(outcome.kind)
  return `console-session=${await encode({ token: { sid: outcome.sid }, secret: sessionSecret() })}`
}
const callerBehind = (cookie: string) => session(new Headers({ cookie }))
const choices = async (cookie: string) =>
  (await choicesOf(new Headers({ cookie }))).map(({ id, isPresent }) => (isPresent ? `${id}, here` : id))
const disable = (customer: string) =>
  database.sql(customer, 'UPDATE members SET disabled_at = now() WHERE customer_id = $1 AND email = $2', [
    customer,
    email,
  ])
const setPersons = (text: string | null) =>
  run(
    database.url,
    `UPDATE people SET password_hash = ${text === null ? 'NULL' : `'${text}'`} WHERE lower(email) = '${email}'`,
  )

describe('a member of several customers', () => {
  it('chooses a customer after the verification, and no call is answered before', async () => {
    await join('alder')
    await join('birch', { email: email.toUpperCase() })
    const pending = pendingOf(await enter())
    expect(await callerBehind(pending)).toBeUndefined()
    expect(await choices(pending)).toEqual(['alder', 'birch'])
    expect(await selectCustomer('cedar', client(pending))).toEqual({ kind: 'refused' })
    const cookie = await signedIn(await selectCustomer('birch', client(pending)))
    expect(await callerBehind(cookie)).toMatchObject({ customerId: 'birch', name: 'Ana at birch' })
    // One verified credential results in one session.
    expect(await selectCustomer('alder', client(pending))).toEqual({ kind: 'refused' })
    expect(await choices(pending)).toEqual([])
  })

  it('chooses once, even with concurrent requests', async () => {
    await join('alder')
    await join('birch')
    const pending = pendingOf(await enter())
    const outcomes = await Promise.all(
      ['alder', 'birch', 'alder', 'birch'].map((id) => selectCustomer(id, client(pending))),
    )
    expect(outcomes.filter(({ kind }) => kind === 'signed-in')).toHaveLength(1)
  })

  it('enters without a choice where the other memberships are disabled or not accepted', async () => {
    await join('alder')
    await join('birch', { disabledAt: new Date() })
    await join('cedar', { invitedAt: new Date(), passwordHash: null })
    const cookie = await signedIn(await enter())
    expect((await callerBehind(cookie))?.customerId).toBe('alder')
    expect(await choices(cookie)).toEqual([])
    expect(await mayChange((await callerBehind(cookie)) ?? {})).toBe(false)
  })

  it('can’t choose a membership that was disabled, or whose password was changed, since the first step', async () => {
    await join('alder')
    await join('birch')
    const pending = pendingOf(await enter())
    await disable('birch')
    expect(await selectCustomer('birch', client(pending))).toEqual({ kind: 'refused' })
    await database.sql('alder', 'UPDATE members SET password_hash = $2 WHERE email = $1', [
      email,
      await hashPassword('another horse battery'),
    ])
    expect(await selectCustomer('alder', client(pending))).toEqual({ kind: 'refused' })
  })

  it('has no session after being disabled during the choice, not even when enabled again', async () => {
    const member = await join('alder')
    await join('birch')
    const pending = pendingOf(await enter())
    const customerId = 'alder' as CustomerId
    const set = (isDisabled: boolean) =>
      scope({ customerId }, (tx) => setDisabled(tx, customerId, member, isDisabled))
    const [outcome] = await Promise.all([selectCustomer('alder', client(pending)), set(true)])
    await set(false)
    if (outcome.kind === 'signed-in') expect(await callerBehind(await signedIn(outcome))).toBeUndefined()
    else expect(outcome).toEqual({ kind: 'refused' })
    const left = await database.sql('alder', 'SELECT FROM sessions WHERE member_id = $1', [member])
    expect(left).toEqual([])
  })

  it('has ten minutes and ten attempts for the choice', async () => {
    await join('alder')
    await join('birch')
    const slow = pendingOf(await enter())
    await run(database.url, "UPDATE pending_sign_ins SET created_at = now() - interval '10 minutes'")
    expect(await selectCustomer('alder', client(slow))).toEqual({ kind: 'refused' })
    expect(await prunePending()).toBeGreaterThan(0)
    const hasty = pendingOf(await enter())
    for (let n = 0; n < 10; n++) await selectCustomer(`guess-${n}`, client(hasty))
    expect(await selectCustomer('alder', client(hasty))).toEqual({ kind: 'refused' })
    expect(await selectCustomer('alder', client(`${pendingOf(await enter())}x`))).toEqual({ kind: 'refused' })
  })
})

describe('a password', () => {
  it('opens all memberships without a password of their own, where it is the person’s', async () => {
    await join('alder', { passwordHash: null })
    await join('birch', { passwordHash: null })
    await join('cedar')
    await setPersons(await hashPassword('my own horse battery'))
    expect(await choices(pendingOf(await enter('my own horse battery')))).toEqual(['alder', 'birch'])
    const cookie = await signedIn(await enter())
    expect((await callerBehind(cookie))?.customerId).toBe('cedar')
    expect(await choices(cookie)).toEqual([])
  })

  it('is rejected alike for an unknown address and for a person who is disabled everywhere', async () => {
    await join('alder', { disabledAt: new Date() })
    await join('birch', { disabledAt: new Date() })
    expect(await enter()).toEqual({ kind: 'refused' })
    expect(await signIn({ email: `nobody.${email}`, password: PASSWORD }, client())).toEqual({
      kind: 'refused',
    })
    await setPersons(hash)
    expect(await enter()).toEqual({ kind: 'refused' })
  })
})

describe('a change of customer', () => {
  async function inAlder() {
    await join('alder')
    await join('birch')
    return signedIn(await selectCustomer('alder', client(pendingOf(await enter()))))
  }

  it('ends the former session, results in a new id, and expires with the sign-in', async () => {
    const alder = await inAlder()
    expect(await choices(alder)).toEqual(['alder, here', 'birch'])
    expect(await mayChange((await callerBehind(alder)) ?? {})).toBe(true)
    await run(
      database.url,
      `ALTER TABLE sessions DISABLE ROW LEVEL SECURITY;
       UPDATE sessions SET created_at = now() - interval '7 hours' WHERE customer_id = 'alder';
       ALTER TABLE sessions ENABLE ROW LEVEL SECURITY`,
    )
    const birch = await signedIn(await selectCustomer('birch', client(alder)))
    expect(await callerBehind(alder)).toBeUndefined()
    expect(await callerBehind(birch)).toMatchObject({ customerId: 'birch' })
    const [row] = await database.sql(
      'birch',
      `SELECT max(s.created_at) < now() - interval '6 hours' AS old FROM sessions s
       JOIN members m ON m.customer_id = s.customer_id AND m.id = s.member_id WHERE m.email = $1`,
      [email],
    )
    expect(row).toEqual({ old: true })
    expect(
      (await callerBehind(await signedIn(await selectCustomer('alder', client(birch)))))?.customerId,
    ).toBe('alder')
  })

  it('is rejected for a customer of another person, and for one with another password', async () => {
    const alder = await inAlder()
    await join('cedar', { passwordHash: await hashPassword('another horse battery') })
    expect(await selectCustomer('cedar', client(alder))).toEqual({ kind: 'refused' })
    expect(await selectCustomer('alder', client(alder))).toEqual({ kind: 'refused' })
    expect(await selectCustomer('birch', client())).toEqual({ kind: 'refused' })
    expect(await callerBehind(alder)).toMatchObject({ customerId: 'alder' })
  })

  it('is rejected in a session whose credential is unknown', async () => {
    const alder = await inAlder()
    await run(
      database.url,
      `ALTER TABLE sessions DISABLE ROW LEVEL SECURITY;
       UPDATE sessions SET proof = NULL;
       ALTER TABLE sessions ENABLE ROW LEVEL SECURITY`,
    )
    expect(await choices(alder)).toEqual([])
    expect(await selectCustomer('birch', client(alder))).toEqual({ kind: 'refused' })
  })

  it('is recorded at each customer as an ordinary sign-in or sign-out', async () => {
    const alder = await inAlder()
    await selectCustomer('birch', client(alder))
    const eventsOf = async (customer: string) =>
      JSON.stringify(
        await database.sql(
          customer,
          `SELECT e.action, e.details FROM audit_events e JOIN members m ON m.customer_id = e.customer_id AND m.id = e.subject
           WHERE m.email = $1 ORDER BY e.id`,
          [email],
        ),
      )
    expect(await eventsOf('alder')).toMatch(/^\[{"action":"session.opened".*"session.ended".*signed out/)
    expect(await eventsOf('alder')).not.toContain('birch')
    expect(await eventsOf('birch')).toMatch(/^\[{"action":"session.opened"/)
    expect(await eventsOf('birch')).not.toContain('alder')
  })
})
