import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { toProblem } from '#lib/platform/api/error-mapper.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer, addMember } from '#lib/platform/db/test-rows.ts'
import { run } from '#lib/platform/db/test-servers/test-server.ts'
import { redeemLink } from '../links/redeem.ts'
import { addLink } from '../links/store.ts'
import { hashPassword } from '../passwords/hash.ts'
import { signIn } from '../sign-in.ts'
import { setDeviceCookie } from '../sign-ins/browsers.ts'
import { countFactorAttempt } from '../sign-ins/throttling.ts'

// An attacker who has one of a person's passwords, such as an Admin who redeemed a copied link, guesses the others.

const [BIRCH, THEIRS] = ['a birch horse battery', 'correct horse battery']
const birch = 'birch' as CustomerId
let database: TestDatabase
let [email, member, made] = ['', '', 0]

beforeAll(async () => {
  database = await testDatabase()
  for (const id of ['alder', birch]) await addCustomer(id)
})
afterAll(() => database.close())
beforeEach(async () => {
  email = `ana.${++made}@alder.example`
  const values = { roles: ['it-manager' as const], email, name: 'Ana' }
  await addMember('alder', { ...values, passwordHash: await hashPassword(THEIRS) })
  member = await addMember(birch, { ...values, invitedAt: new Date() })
})

const enter = async (password: string) =>
  (await signIn({ email, password }, { address: '192.0.2.1', userAgent: '', cookies: '' })).kind
const set = async (password: string) => {
  const link = { memberId: member, kind: 'reset', by: 'operator' } as const
  const { secret } = await scope({ customerId: birch }, (tx) => addLink(tx, birch, link))
  return redeemLink({ secret, password, isNew: true }).then(
    () => 'done',
    (error) => toProblem(error).code,
  )
}
const pass = (seconds: number) =>
  run(database.url, `UPDATE sign_in_budgets SET last_at = last_at - interval '${seconds} seconds'`)

it('a right password between guesses resets failures once an hour', async () => {
  await set(BIRCH)
  const four = async (round: number) => {
    const kinds = []
    for (let n = 0; n < 4; n++) kinds.push(await enter(`guess ${round} ${n}`))
    return kinds
  }
  const denied = Array(4).fill('refused')
  expect([await four(1), await enter(BIRCH)]).toEqual([denied, 'signed-in'])
  expect([await four(2), await enter(BIRCH)]).toEqual([denied, 'signed-in'])
  // The four earlier failures still count, and the success does not.
  expect(await four(3)).toContain('throttled')
  await pass(3600)
  expect([await enter(BIRCH), await four(4)]).toEqual(['signed-in', denied])
})

it('browsers that became known by one right password share one budget', async () => {
  await set(BIRCH)
  const kinds: string[] = []
  for (let n = 0; n < 8; n++) {
    const outcome = await signIn(
      { email, password: BIRCH },
      { address: `198.51.100.${n}`, userAgent: '', cookies: '' },
    )
    if (outcome.kind !== 'signed-in') throw new Error(outcome.kind)
    const recognized = {
      address: '192.0.2.1',
      userAgent: '',
      cookies: setDeviceCookie(outcome.deviceCookie).split(';')[0] ?? '',
    }
    for (let guess = 0; guess < 4; guess++)
      kinds.push((await signIn({ email, password: `guess ${n} ${guess}` }, recognized)).kind)
  }
  // Each browser by itself has five attempts.
  expect(kinds.slice(0, 20)).toEqual(Array(20).fill('refused'))
  expect(kinds.slice(20)).toContain('throttled')
})

it('a right password without former failures refunds only itself', async () => {
  await set(BIRCH)
  for (let n = 0; n < 8; n++) expect(await enter(BIRCH)).toBe('signed-in')
})

it('a guess that is set as one’s own password, to see which memberships it opens, is counted', async () => {
  const answers = []
  for (let n = 0; n < 7; n++) answers.push(await set(`${n} guesses at a horse`))
  expect(answers.slice(0, 5)).toEqual(Array(5).fill('done'))
  expect(answers.slice(-1)).toEqual(['rate_limited'])
  // Passwords that another person sets are not affected.
  const other = await addMember('alder', { roles: [], email: `other.${email}`, invitedAt: new Date() })
  const alder = 'alder' as CustomerId
  const { secret } = await scope({ customerId: alder }, (tx) =>
    addLink(tx, alder, { memberId: other, kind: 'invitation', by: 'operator' }),
  )
  await redeemLink({ secret, password: BIRCH, isNew: true })
})

it('a right code of a second factor resets wrong ones once an hour', async () => {
  const person = `person of ${email}`
  const round = async () => {
    const kinds = []
    for (let wrong = 0; wrong < 4; wrong++) kinds.push((await countFactorAttempt(person)).kind)
    const right = await countFactorAttempt(person)
    if (right.kind === 'counted') await right.refund()
    return [...kinds, right.kind]
  }
  expect([await round(), await round()]).toEqual([Array(5).fill('counted'), Array(5).fill('counted')])
  expect(await round()).toContain('throttled')
})
