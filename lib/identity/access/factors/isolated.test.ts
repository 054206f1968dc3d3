import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { addMember as addAgain, setDisabled, setRemoved } from '#lib/identity/members/store.ts'
import { toProblem } from '#lib/platform/api/error-mapper.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer } from '#lib/platform/db/test-rows.ts'
import { run } from '#lib/platform/db/test-servers/test-server.ts'
import { viewOfLink } from '../links/find-link.ts'
import { redeemLink } from '../links/redeem.ts'
import { addLink } from '../links/store.ts'
import { hashPassword } from '../passwords/hash.ts'
import { setPasswordHash } from '../passwords/set.ts'
import { findPersonOf } from '../people/find-person.ts'
import { proveStep, selectCustomer, stepAt } from '../sign-ins/steps.ts'
import { listFactors } from './store.ts'
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

// An Admin who copies an invitation or resets factors learns and opens no more than for an address without other
// memberships.

const [alder, birch] = ['alder', 'birch'] as CustomerId[] as [CustomerId, CustomerId]
const CHOSEN = 'the Admin has chosen this'
let database: TestDatabase
let [hash, email, made] = ['', '', 0]
beforeAll(async () => {
  database = await testDatabase()
  for (const id of [alder, birch]) await addCustomer(id)
  hash = await hashPassword(PASSWORD)
})
afterAll(() => database.close())
beforeEach(() => {
  email = `ana.${++made}@alder.example`
})

const givePassword = () =>
  run(database.url, `UPDATE people SET password_hash = '${hash}' WHERE lower(email) = '${email}'`)
const free = () =>
  run(
    database.url,
    `ALTER TABLE second_factors DISABLE ROW LEVEL SECURITY; UPDATE second_factors SET last_step = NULL;
     ALTER TABLE second_factors ENABLE ROW LEVEL SECURITY`,
  )
/** Adds Ana as a member of alder, with an app that counts at all memberships that her own password opens. */
async function atAlder() {
  await join(alder, email)
  await givePassword()
  const secret = await addApp(sidOf(await enter(email)))
  await free()
  return secret
}
const copyOf = async (
  customerId: CustomerId,
  memberId: string,
  kind: 'invitation' | 'reset' = 'invitation',
) => (await scope({ customerId }, (tx) => addLink(tx, customerId, { memberId, kind, by: 'operator' }))).secret
const redeem = (secret: string, password: string, isNew: boolean) => redeemLink({ secret, password, isNew })
const problemOf = (done: Promise<unknown>) =>
  done.then(
    () => undefined,
    (error) => toProblem(error).message,
  )
const invite = (customer: CustomerId) => join(customer, email, { passwordHash: null, invitedAt: new Date() })
const historyOf = (member: string) =>
  database.sql(birch, 'SELECT action FROM audit_events WHERE subject = $1 ORDER BY id', [member])

describe('an Admin who redeems a copied invitation', () => {
  /** Returns everything that an Admin of birch can see of a person, with or without a membership elsewhere. */
  async function seen(hasElsewhere: boolean) {
    email = `ana.${++made}@alder.example`
    if (hasElsewhere) await atAlder()
    const member = await invite(birch)
    const secret = await copyOf(birch, member)
    const view = await viewOfLink('invitation', secret)
    const wrong = await problemOf(redeem(secret, 'wrong wrong wrong', false))
    await redeem(secret, CHOSEN, true)
    const outcome = await enter(email, CHOSEN)
    const listed = await scope({ customerId: birch }, (tx) => listFactors(tx, birch, member))
    return {
      view: { ...view, email: '' },
      wrong,
      kind: outcome.kind,
      listed,
      history: await historyOf(member),
    }
  }

  it('sees the same whether the address has a password and a factor elsewhere', async () => {
    const withElsewhere = await seen(true)
    expect(withElsewhere).toEqual(await seen(false))
    expect(withElsewhere.kind).toBe('signed-in')
  })

  it('learns nothing of factors that are added elsewhere later', async () => {
    await join(alder, email)
    await givePassword()
    const member = await invite(birch)
    await redeem(await copyOf(birch, member), CHOSEN, true)
    await addApp(sidOf(await enter(email)))
    expect((await historyOf(member)).map(({ action }) => action)).not.toContain('factor.added')
    expect((await enter(email, CHOSEN)).kind).toBe('signed-in')
  })

  it('needs the person’s factor after the person’s password, and so does a person who requests a new one by mail', async () => {
    const secret = await atAlder()
    const member = await invite(birch)
    await redeem(await copyOf(birch, member), PASSWORD, true)
    await scope({ customerId: birch }, (tx) => setPasswordHash(tx, birch, member, { hash: null }))
    const pending = pendingOf(await enter(email))
    expect((await stepAt(pending))?.step.kind).toBe('factor')
    expect((await proveStep({ code: codeOf(secret) }, client(pending))).kind).toBe('pending')
    expect((await selectCustomer(birch, client(pending))).kind).toBe('signed-in')
  })

  it('needs the person’s factor with a new password for a person who accepted with theirs', async () => {
    await atAlder()
    const member = await invite(birch)
    await redeem(await copyOf(birch, member), PASSWORD, false)
    await redeem(await copyOf(birch, member, 'reset'), CHOSEN, true)
    expect((await stepAt(pendingOf(await enter(email, CHOSEN))))?.step.kind).toBe('factor')
  })
})

describe('accepting a membership', () => {
  it('requires the person’s own password, and rejects one that another customer’s Admin may have set', async () => {
    await join(alder, email, { passwordHash: hash })
    const secret = await copyOf(birch, await invite(birch))
    expect(await problemOf(redeem(secret, PASSWORD, false))).toContain('is not the one')
    await givePassword()
    await database.sql(alder, 'UPDATE members SET password_hash = NULL WHERE email = $1', [email])
    expect(await redeem(secret, PASSWORD, false)).toBe(email)
  })
})

describe('a factor that an Admin has reset', () => {
  it('does not count before the choice of a customer, where the person has another one', async () => {
    const lost = await atAlder()
    const member = await join(birch, email)
    await database.sql(birch, 'UPDATE members SET factors_reset_at = now() WHERE id = $1', [member])
    const { personId } = (await findPersonOf(birch, member)) ?? {}
    // Another factor of the person, set up after the reset.
    await database.sql(
      birch,
      `INSERT INTO second_factors (person_id, kind, name, credential, public_key, counter, created_at)
       VALUES ($1, 'passkey', 'Key', $2, 'x', 0, now() + interval '1 second')`,
      [personId, `credential-${made}`],
    )
    const pending = pendingOf(await enter(email))
    expect((await proveStep({ code: codeOf(lost) }, client(pending))).kind).toBe('pending')
    expect((await selectCustomer(birch, client(pending))).kind).toBe('pending')
    expect((await stepAt(pending))?.step).toMatchObject({ kind: 'factor', membership: { customerId: birch } })
    const other = pendingOf(await enter(email))
    await free()
    await proveStep({ code: codeOf(lost) }, client(other))
    const sid = sidOf(await selectCustomer(alder, client(other)))
    expect((await callerOf(sid)).customerId).toBe(alder)
    // The switch of customer within a session does not accept it either.
    expect((await selectCustomer(birch, client(await cookieOf(sid)))).kind).toBe('pending')
  })
})

describe('a new owner of the address of a removed member', () => {
  it('does not need the password and the factors of the former member', async () => {
    const member = await join(birch, email)
    await givePassword()
    await addApp(sidOf(await enter(email)))
    await setMembershipPassword(database, birch, email, 'of this membership')
    await scope({ customerId: birch }, async (tx) => {
      await setDisabled(tx, birch, member, true)
      await setRemoved(tx, birch, member)
      await addAgain(tx, birch, { email, name: 'Another Ana', roles: [], addedBy: 'Directory' })
    })
    const secret = await copyOf(birch, member)
    await run(
      database.url,
      `ALTER TABLE account_links DISABLE ROW LEVEL SECURITY;
      UPDATE account_links SET state = 'SENT'; ALTER TABLE account_links ENABLE ROW LEVEL SECURITY`,
    )
    expect(await viewOfLink('invitation', secret)).toMatchObject({ passwordPrompt: 'new' })
    await redeem(secret, 'a new horse battery', true)
    expect((await enter(email)).kind).toBe('refused')
    expect((await enter(email, 'a new horse battery')).kind).toBe('signed-in')
    expect((await findPersonOf(birch, member))?.factors).toEqual([])
  })
})
