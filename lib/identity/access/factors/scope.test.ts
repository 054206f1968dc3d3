import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { digestOf } from '#lib/platform/caller/credentials.ts'
import { findSessionCaller } from '#lib/platform/caller/session.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer } from '#lib/platform/db/test-rows.ts'
import { run } from '#lib/platform/db/test-servers/test-server.ts'
import { hashPassword } from '../passwords/hash.ts'
import { choicesOf } from '../sign-ins/choices.ts'
import { proveStep, selectCustomer, setUpStep, stepAt } from '../sign-ins/steps.ts'
import { removeFactor, renewCodes } from './change.ts'
import { resetFactors } from './reset.ts'
import {
  addApp,
  callerOf,
  client,
  codeOf,
  cookieOf,
  enter,
  join,
  PASSWORD,
  pendingOf,
  setMembershipPassword,
  sidOf,
} from './test-person.ts'
import { newSecret } from './totp.ts'

// A factor opens its person's memberships; an Admin of one customer can't affect the others.

let database: TestDatabase
let [hash, email, made] = ['', '', 0]
const ids = { alder: '', birch: '' }
beforeAll(async () => {
  database = await testDatabase()
  for (const id of ['alder', 'birch']) await addCustomer(id)
  hash = await hashPassword(PASSWORD)
})
afterAll(() => database.close())
/** Adds Ana as a member of both customers, with one password of her own. */
beforeEach(async () => {
  email = `ana.${++made}@alder.example`
  ids.alder = await join('alder', email)
  ids.birch = await join('birch', email)
  await run(database.url, `UPDATE people SET password_hash = '${hash}' WHERE lower(email) = '${email}'`)
})

const admin = async (customer: 'alder' | 'birch') => {
  const address = `admin.${++made}@${customer}.example`
  await join(customer, address, { passwordHash: hash })
  return callerOf(sidOf(await enter(address)))
}
const openAt = async (customer: string) =>
  sidOf(await selectCustomer(customer, client(pendingOf(await enter(email)))))
const names = async (cookies: string) =>
  (await choicesOf(new Headers({ cookie: cookies }))).map(({ id }) => id)
const stepOf = async (cookies: string) => (await stepAt(cookies))?.step.kind
const demand = (customer: string, isDemanded: boolean) =>
  database.sql(customer, 'UPDATE customers SET demands_factor = $2 WHERE id = $1', [customer, isDemanded])
/** Makes the codes of past time steps usable again: all tests run within one step. */
const free = () =>
  run(
    database.url,
    `ALTER TABLE second_factors DISABLE ROW LEVEL SECURITY; UPDATE second_factors SET last_step = NULL;
     ALTER TABLE second_factors ENABLE ROW LEVEL SECURITY`,
  )

describe('a factor of a person', () => {
  it('is required before the choice of a customer, and no customer is named until then', async () => {
    const secret = await addApp(await openAt('alder'))
    await free()
    const pending = pendingOf(await enter(email))
    expect([await stepOf(pending), await names(pending)]).toEqual(['factor', []])
    expect((await selectCustomer('birch', client(pending))).kind).toBe('pending')
    const other = pendingOf(await enter(email))
    expect((await proveStep({ code: codeOf(secret) }, client(other))).kind).toBe('pending')
    expect(await names(other)).toEqual(['alder', 'birch'])
    const sid = sidOf(await selectCustomer('birch', client(other)))
    expect((await callerOf(sid)).customerId).toBe('birch')
    // Switches to the other customer without another verification.
    const changed = sidOf(await selectCustomer('alder', client(await cookieOf(sid))))
    expect((await callerOf(changed)).customerId).toBe('alder')
  })

  it('is recorded in the audit log of each customer at which it counts', async () => {
    await addApp(await openAt('alder'))
    for (const customer of ['alder', 'birch'] as const)
      expect(
        await database.sql(
          customer,
          "SELECT FROM audit_events WHERE action = 'factor.added' AND subject = $1",
          [ids[customer]],
        ),
      ).toHaveLength(1)
  })
})

/** Permission check without effect: lib/identity/second-factors/operations.test.ts tests permissions. */
const mayDoIt = async () => {}

describe('an Admin of one customer who resets the factors of a member', () => {
  it('opens nothing elsewhere with the password of a link and a factor of their own', async () => {
    const secret = await addApp(await openAt('alder'))
    const boss = await admin('alder')
    await resetFactors(boss, ids.alder, 'test-request', mayDoIt)
    // A copied link sets the password of that membership only.
    await setMembershipPassword(database, 'alder', email, 'the boss knows this')
    const sid = sidOf(await enter(email, 'the boss knows this'))
    expect((await callerOf(sid)).customerId).toBe('alder')
    await addApp(sid)
    expect(await selectCustomer('birch', client(await cookieOf(sid)))).toEqual({ kind: 'refused' })
    await expect(renewCodes(await callerOf(sid))).resolves.toHaveLength(10)
    // Ana's sessions at the other customer go on, and sign-in there requires her own app.
    await free()
    const pending = pendingOf(await enter(email))
    expect((await proveStep({ code: codeOf(secret) }, client(pending))).kind).toBe('signed-in')
  })

  it('opens nothing elsewhere, even with the password of the person', async () => {
    const secret = await addApp(await openAt('alder'))
    await resetFactors(await admin('alder'), ids.alder, 'test-request', mayDoIt)
    const pending = pendingOf(await enter(email))
    expect(await names(pending)).toEqual(['alder'])
    const sid = sidOf(await selectCustomer('alder', client(pending)))
    const another = await addApp(sid)
    await free()
    const changing = pendingOf(await selectCustomer('birch', client(await cookieOf(sid))))
    expect(await proveStep({ code: codeOf(another) }, client(changing))).toEqual({ kind: 'refused' })
    expect((await proveStep({ code: codeOf(secret) }, client(changing))).kind).toBe('signed-in')
  })

  it('ends the member’s sessions at that customer only, and adds nothing to other audit logs', async () => {
    const first = await openAt('alder')
    const secret = await addApp(first)
    await free()
    const pending = pendingOf(await enter(email))
    await proveStep({ code: codeOf(secret) }, client(pending))
    const there = sidOf(await selectCustomer('birch', client(pending)))
    await resetFactors(await admin('alder'), ids.alder, 'test-request', mayDoIt)
    expect(await findSessionCaller(digestOf(first))).toBeUndefined()
    expect((await callerOf(there)).customerId).toBe('birch')
    const query = "SELECT subject FROM audit_events WHERE action = 'factors.reset'"
    expect(await database.sql('birch', query)).toEqual([])
    expect(await database.sql('alder', query)).toContainEqual({ subject: ids.alder })
  })

  it('receives the same error for a member without a factor, and for one whose factor counts only elsewhere', async () => {
    await setMembershipPassword(database, 'birch', email, 'my own at birch')
    const sid = sidOf(await enter(email, 'my own at birch'))
    await addApp(sid)
    const boss = await admin('alder')
    await expect(resetFactors(boss, ids.alder, 'test-request', mayDoIt)).rejects.toMatchObject({
      code: 'not_found',
    })
    expect((await enter(email)).kind).toBe('signed-in')
    expect((await enter(email, 'my own at birch')).kind).toBe('pending')
  })
})

it('the operator resets factors at all customers, and each audit log records it', async () => {
  await addApp(await openAt('alder'))
  const operator = { ...(await admin('alder')), via: 'operator' as const }
  await resetFactors(operator, ids.alder, 'test-request', mayDoIt)
  const pending = pendingOf(await enter(email))
  expect(await names(pending)).toEqual(['alder', 'birch'])
  const query = "SELECT FROM audit_events WHERE action = 'factors.reset' AND subject = $1"
  for (const customer of ['alder', 'birch'] as const)
    expect(await database.sql(customer, query, [ids[customer]])).toHaveLength(1)
})

describe('a customer with mandatory factors', () => {
  it('opens no session until a factor is set up, even after the choice, and other customers stay open', async () => {
    await demand('alder', true)
    try {
      const pending = pendingOf(await enter(email))
      expect(await names(pending)).toEqual(['alder', 'birch'])
      expect((await selectCustomer('alder', client(pending))).kind).toBe('pending')
      expect(await stepOf(pending)).toBe('set-up')
      const at = await stepAt(pending)
      const { secret, token } = newSecret(at?.pending.digest ?? '', { email, customerName: 'Alder' })
      const newFactor = { kind: 'totp' as const, name: 'App', token }
      await expect(setUpStep({ ...newFactor, code: '000000' }, client(pending))).rejects.toMatchObject({
        code: 'invalid_request',
      })
      const sid = sidOf(await setUpStep({ ...newFactor, code: codeOf(secret) }, client(pending)))
      const caller = await callerOf(sid)
      expect(caller.customerId).toBe('alder')
      const [{ id = '' } = {}] = await database.sql(
        'alder',
        'SELECT f.id FROM second_factors f JOIN members m USING (person_id) WHERE m.id = $1',
        [ids.alder],
      )
      await expect(removeFactor(caller, String(id))).rejects.toMatchObject({ code: 'permission_denied' })
    } finally {
      await demand('alder', false)
    }
  })

  it('is not entered from a session of another customer without a factor', async () => {
    const sid = await openAt('birch')
    await demand('alder', true)
    try {
      const pending = pendingOf(await selectCustomer('alder', client(await cookieOf(sid))))
      expect(await stepOf(pending)).toBe('set-up')
    } finally {
      await demand('alder', false)
    }
  })
})
