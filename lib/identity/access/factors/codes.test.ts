import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { digestOf } from '#lib/platform/caller/credentials.ts'
import { findSessionCaller } from '#lib/platform/caller/session.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer } from '#lib/platform/db/test-rows.ts'
import { hashPassword } from '../passwords/hash.ts'
import { proveStep } from '../sign-ins/steps.ts'
import { removeFactor, renewCodes } from './change.ts'
import {
  addApp,
  callerOf,
  client,
  codeOf,
  enter,
  enterWith,
  join,
  PASSWORD,
  pendingOf,
  sidOf,
} from './test-person.ts'

let database: TestDatabase
let [hash, email, made] = ['', '', 0]
beforeAll(async () => {
  database = await testDatabase()
  await addCustomer('alder')
  hash = await hashPassword(PASSWORD)
})
afterAll(() => database.close())
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Math.floor(Date.now() / 30_000) * 30_000 + 5_000 })
  email = `ana.${++made}@alder.example`
  await join('alder', email, { passwordHash: hash })
})
afterEach(() => {
  vi.useRealTimers()
})

const advance = (steps: number) => vi.setSystemTime(Date.now() + steps * 30_000)
const events = async (action: string) =>
  (
    await database.sql(
      'alder',
      'SELECT FROM audit_events e JOIN members m ON m.id = e.subject AND m.customer_id = e.customer_id WHERE action = $1 AND m.email = $2',
      [action, email],
    )
  ).length

describe('an app', () => {
  it('is required after the password once it is added, and ends sessions that were opened without it', async () => {
    const [here, there] = [sidOf(await enter(email)), sidOf(await enter(email))]
    const secret = await addApp(here)
    expect((await callerOf(here)).email).toBe(email)
    expect(await findSessionCaller(digestOf(there))).toBeUndefined()
    const pending = pendingOf(await enter(email))
    advance(1)
    expect(await proveStep({ code: '12345x' }, client(pending))).toEqual({ kind: 'refused' })
    const code = codeOf(secret)
    expect((await proveStep({ code: `${code.slice(0, 3)} ${code.slice(3)}` }, client(pending))).kind).toBe(
      'signed-in',
    )
    expect([await events('factor.added'), await events('factor.refused')]).toEqual([1, 1])
  })

  it.each([
    [-2, 'refused'],
    [-1, 'signed-in'],
    [0, 'signed-in'],
    [1, 'signed-in'],
    [2, 'refused'],
  ])('with a clock %i steps off is %s', async (off, kind) => {
    const secret = await addApp(sidOf(await enter(email)))
    advance(5)
    const code = codeOf(secret, off)
    expect((await proveStep({ code }, client(pendingOf(await enter(email))))).kind).toBe(kind)
  })

  it('accepts each code once and none of an earlier step, even with concurrent requests', async () => {
    const secret = await addApp(sidOf(await enter(email)))
    advance(3)
    const pending = await Promise.all(Array.from({ length: 4 }, () => enter(email)))
    const code = codeOf(secret)
    const outcomes = await Promise.all(pending.map((one) => proveStep({ code }, client(pendingOf(one)))))
    expect(outcomes.map(({ kind }) => kind).sort()).toEqual(['refused', 'refused', 'refused', 'signed-in'])
    const again = client(pendingOf(await enter(email)))
    expect(await proveStep({ code }, again)).toEqual({ kind: 'refused' })
    expect(await proveStep({ code: codeOf(secret, -1) }, again)).toEqual({ kind: 'refused' })
    expect((await proveStep({ code: codeOf(secret, 1) }, again)).kind).toBe('signed-in')
  })

  it('rejects a sign-in with the code that confirmed it', async () => {
    const secret = await addApp(sidOf(await enter(email)))
    const pending = client(pendingOf(await enter(email)))
    expect(await proveStep({ code: codeOf(secret) }, pending)).toEqual({ kind: 'refused' })
  })

  it('limits guesses over all sign-ins of its owner, and delays the owner no longer than the attacker', async () => {
    await addApp(sidOf(await enter(email)))
    const kinds: string[] = []
    for (let n = 0; n < 8; n++) {
      const pending = client(pendingOf(await enter(email)))
      kinds.push((await proveStep({ code: `${100_000 + n}` }, pending)).kind)
    }
    expect(kinds.slice(0, 5)).toEqual(Array(5).fill('refused'))
    expect(kinds.at(-1)).toBe('throttled')
  })

  it('accepts ten attempts after one password', async () => {
    const secret = await addApp(sidOf(await enter(email)))
    advance(2)
    const pending = client(pendingOf(await enter(email)))
    for (let n = 0; n < 10; n++) await proveStep({ code: 'nothing' }, pending)
    expect(await proveStep({ code: codeOf(secret) }, pending)).toEqual({ kind: 'ended' })
  })

  it('is removed in a session that has verified it, together with its recovery codes', async () => {
    const sid = sidOf(await enter(email))
    const secret = await addApp(sid)
    const caller = await callerOf(sid)
    const codes = await renewCodes(caller)
    const [{ id = '' } = {}] = await database.sql(
      'alder',
      'SELECT id FROM second_factors f WHERE person_id = (SELECT person_id FROM members WHERE email = $1)',
      [email],
    )
    await removeFactor(caller, String(id))
    expect((await enter(email)).kind).toBe('signed-in')
    expect(
      await database.sql(
        'alder',
        'SELECT FROM recovery_codes r WHERE person_id = (SELECT person_id FROM members WHERE email = $1)',
        [email],
      ),
    ).toEqual([])
    expect([codes.length, secret.length > 0, await events('factor.removed')]).toEqual([10, true, 1])
  })
})

describe('a recovery code', () => {
  it('is accepted once, in any letter case, and recorded in the audit log', async () => {
    const sid = sidOf(await enter(email))
    await addApp(sid)
    const [first = '', second = ''] = await renewCodes(await callerOf(sid))
    expect(first).toMatch(/^([A-Z2-7]{4}-){3}[A-Z2-7]{4}$/)
    const opened = await enterWith(email, first.toLowerCase().replaceAll('-', ' '))
    expect((await callerOf(opened)).email).toBe(email)
    const pending = client(pendingOf(await enter(email)))
    expect(await proveStep({ code: first }, pending)).toEqual({ kind: 'refused' })
    expect((await proveStep({ code: second }, pending)).kind).toBe('signed-in')
    expect(await events('recovery-code.used')).toBe(2)
  })

  it('is consumed once by concurrent requests', async () => {
    const sid = sidOf(await enter(email))
    await addApp(sid)
    const [code = ''] = await renewCodes(await callerOf(sid))
    const pending = await Promise.all(Array.from({ length: 4 }, () => enter(email)))
    const outcomes = await Promise.all(pending.map((one) => proveStep({ code }, client(pendingOf(one)))))
    expect(outcomes.filter(({ kind }) => kind === 'signed-in')).toHaveLength(1)
    expect(await events('recovery-code.used')).toBe(1)
  })

  it('is rejected after new codes were made, and so is a code of another person', async () => {
    const sid = sidOf(await enter(email))
    await addApp(sid)
    const [old = ''] = await renewCodes(await callerOf(sid))
    await renewCodes(await callerOf(sid))
    const pending = client(pendingOf(await enter(email)))
    expect(await proveStep({ code: old }, pending)).toEqual({ kind: 'refused' })
    const other = `bo.${made}@alder.example`
    await join('alder', other, { passwordHash: hash })
    const others = sidOf(await enter(other))
    await addApp(others)
    const [code = ''] = await renewCodes(await callerOf(others))
    expect(await proveStep({ code }, pending)).toEqual({ kind: 'refused' })
  })

  it('is not made in a session without a verified factor', async () => {
    const sid = sidOf(await enter(email))
    await expect(renewCodes(await callerOf(sid))).rejects.toMatchObject({ code: 'permission_denied' })
  })
})
