import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { setDisabled, setRemoved } from '#lib/identity/members/store.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer } from '#lib/platform/db/test-rows.ts'
import { run } from '#lib/platform/db/test-servers/test-server.ts'
import { addApp, codeOf, enter, enterWith, join, PASSWORD, sidOf } from '../factors/test-person.ts'
import { requestRecovery, startRecovery } from '../links/recoveries.ts'
import { redeemLink } from '../links/redeem.ts'
import { addLink } from '../links/store.ts'
import { hashPassword, passwordFits } from '../passwords/hash.ts'
import { lockNewcomer } from './change.ts'
import { findAnybody } from './find-person.ts'

// Ana has a password and an app. She is disabled at alder when birch invites her address, whose mail another person
// reads.

const [alder, birch, cedar] = ['alder', 'birch', 'cedar'] as [CustomerId, CustomerId, CustomerId]
const [CHOSEN, ANOTHER] = ['a stranger has chosen this', 'chosen once more by mail']
let database: TestDatabase
let [hash, email, member, invited, secret, made] = ['', '', '', '', '', 0]
beforeAll(async () => {
  database = await testDatabase()
  for (const id of [alder, birch, cedar]) await addCustomer(id)
  hash = await hashPassword(PASSWORD)
})
afterAll(() => database.close())
beforeEach(async () => {
  email = `ana.${++made}@alder.example`
  member = await join(alder, email)
  await run(database.url, `UPDATE people SET password_hash = '${hash}' WHERE email = '${email}'`)
  secret = await addApp(sidOf(await enter(email)))
  await walled('second_factors', 'UPDATE second_factors SET last_step = NULL')
  await disable(true)
  invited = await join(birch, email, { passwordHash: null, invitedAt: new Date() })
})

const walled = (table: string, query: string) =>
  run(
    database.url,
    `ALTER TABLE ${table} DISABLE ROW LEVEL SECURITY; ${query}; ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY`,
  )
const disable = (disabled: boolean) =>
  scope({ customerId: alder }, (tx) => setDisabled(tx, alder, member, disabled))
const remove = () => scope({ customerId: alder }, (tx) => setRemoved(tx, alder, member))
/** Redeems a mailed link. */
async function redeemMailed(kind: 'invitation' | 'reset', customerId = birch, memberId = invited) {
  const made = await scope({ customerId }, (tx) =>
    addLink(tx, customerId, { memberId, kind, by: 'operator' }),
  )
  await walled('account_links', `UPDATE account_links SET state = 'SENT' WHERE member_id = '${memberId}'`)
  await redeemLink({ secret: made.secret, password: CHOSEN, isNew: true })
}
const bySignOn = () =>
  scope({ customerId: birch }, async (tx) => {
    await lockNewcomer(tx, birch, { id: invited, email })
    await tx.execute(`UPDATE members SET invited_at = NULL WHERE customer_id = 'birch' AND id = '${invited}'`)
  })
const kindOf = async (password: string) => (await enter(email, password)).kind
const opensAlder = async () => {
  await disable(false)
  return enterWith(email, codeOf(secret))
}

describe('a person whom a customer has temporarily disabled', () => {
  it('accepts a mailed invitation in isolation, and finds alder unchanged when it enables the member again', async () => {
    await redeemMailed('invitation')
    expect([await kindOf(CHOSEN), await kindOf(PASSWORD)]).toEqual(['signed-in', 'refused'])
    expect(await opensAlder()).toEqual(expect.any(String))
    const at = (await findAnybody(email))?.memberships.map((one) => [one.isIsolated, one.factors.length])
    expect(at).toEqual([
      [false, 1],
      [true, 0],
    ])
  })

  it('sets the password of the isolated membership only by a link for a new password', async () => {
    await redeemMailed('invitation')
    await redeemMailed('reset')
    expect(await kindOf(CHOSEN)).toBe('signed-in')
    expect(await opensAlder()).toEqual(expect.any(String))
  })

  it('sets the password of all open memberships by a requested recovery link', async () => {
    await redeemMailed('invitation')
    const there = await join(cedar, email, { passwordHash: null, invitedAt: new Date() })
    await redeemMailed('invitation', cedar, there)
    await requestRecovery(email)
    const { rows } = await database.opened.signIn.query('SELECT id FROM recoveries WHERE email = $1', [email])
    const started = await startRecovery(rows[0].id)
    await redeemLink({ secret: started?.secret ?? '', password: ANOTHER, isNew: true })
    const opened = (await findAnybody(email))?.memberships ?? []
    const hashOf = (id: string) => opened.find(({ memberId }) => memberId === id)?.passwordHash
    expect(await Promise.all([invited, there].map((id) => passwordFits(ANOTHER, hashOf(id))))).toEqual([
      true,
      true,
    ])
    expect(await passwordFits(ANOTHER, hashOf(member))).toBe(false)
  })

  it('accepts in isolation by single sign-on, where the former password opens nothing', async () => {
    await bySignOn()
    expect(await kindOf(PASSWORD)).toBe('refused')
    expect(await opensAlder()).toEqual(expect.any(String))
  })
})

describe('a person whom every customer has removed', () => {
  it.each([
    ['a mailed invitation', () => redeemMailed('invitation')],
    ['single sign-on', bySignOn],
  ] as const)('starts over by %s', async (_, come) => {
    await remove()
    await come()
    expect(await findAnybody(email)).toMatchObject({ factors: [] })
    expect(await kindOf(PASSWORD)).toBe('refused')
  })
})
