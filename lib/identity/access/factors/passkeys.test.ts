import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Caller, CustomerId } from '#lib/platform/caller/rules.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { addCustomer } from '#lib/platform/db/test-rows.ts'
import type { Attestation } from '../../second-factors/contract.ts'
import { hashPassword } from '../passwords/hash.ts'
import { proveStep, signInByPasskey } from '../sign-ins/steps.ts'
import { setSignOnOnly } from '../sign-on/providers.ts'
import { makingOptions, pruneChallenges, relyingParty, requestOptions, SIGN_IN } from './passkeys.ts'
import { reauthenticationIn } from './prove.ts'
import { makingBy, setUp } from './set-up.ts'
import { authenticator } from './test-authenticator.ts'
import { callerOf, client, enter, join, PASSWORD, pendingOf, sidOf } from './test-person.ts'

const alder = 'alder' as CustomerId
const ORIGIN = 'https://console.example'
let database: TestDatabase
let [hash, email, made] = ['', '', 0]
beforeAll(async () => {
  database = await testDatabase()
  await addCustomer('alder')
  hash = await hashPassword(PASSWORD)
})
afterAll(() => database.close())
beforeEach(async () => {
  vi.stubEnv('BASE_URL', ORIGIN)
  email = `ana.${++made}@alder.example`
  await join('alder', email, { passwordHash: hash })
})
afterEach(() => {
  vi.unstubAllEnvs()
  vi.useRealTimers()
})

const options = async (use = SIGN_IN) => ({ ...(await requestOptions(use)) })
const making = async (caller: Caller, use = makingBy(caller.session ?? '')) => ({
  ...(await makingOptions(use, { email, whose: email, present: [] })),
})
const add = (caller: Caller, passkey: Attestation) => {
  const { customerId, id: memberId, session: owner = '' } = caller
  const newFactor = { kind: 'passkey' as const, name: 'Phone', passkey }
  return setUp({ customerId, memberId, proven: ['password'], owner, exceptSession: owner }, newFactor)
}
/** Adds a member with a passkey. @returns the authenticator */
async function withPasskey() {
  const caller = await callerOf(sidOf(await enter(email)))
  const device = authenticator(ORIGIN)
  await add(caller, device.make(await making(caller)))
  return device
}
const alone = async (answer: Parameters<typeof signInByPasskey>[0]) =>
  (await signInByPasskey(answer, client())).kind

describe('a passkey', () => {
  it('signs in by itself, and after a password', async () => {
    const device = await withPasskey()
    expect(
      (await callerOf(sidOf(await signInByPasskey(device.answer(await options()), client())))).email,
    ).toBe(email)
    const pending = client(pendingOf(await enter(email)))
    const passkey = device.answer(await options(), { isVerified: false })
    expect((await proveStep({ passkey }, pending)).kind).toBe('signed-in')
  })

  it('cannot sign in by itself without user verification', async () => {
    const device = await withPasskey()
    expect(await alone(device.answer(await options(), { isVerified: false }))).toBe('refused')
    expect(await alone(device.answer(await options()))).toBe('signed-in')
  })

  it('does not sign in by itself at a customer with mandatory single sign-on', async () => {
    const device = await withPasskey()
    const setOnly = (isOnly: boolean) =>
      scope({ customerId: alder }, (tx) => setSignOnOnly(tx, alder, isOnly))
    await setOnly(true)
    expect(await alone(device.answer(await options()))).toBe('refused')
    expect((await enter(email)).kind).toBe('refused')
    await setOnly(false)
    expect(await alone(device.answer(await options()))).toBe('signed-in')
  })

  it('answers a challenge once, even with concurrent requests', async () => {
    const device = await withPasskey()
    // A passkey without a counter: only the challenge shows that the answer was used.
    const answer = device.answer(await options(), { counter: 0 })
    const kinds = await Promise.all([1, 2, 3].map(() => alone(answer)))
    expect(kinds.sort()).toEqual(['refused', 'refused', 'signed-in'])
    expect(await alone(answer)).toBe('refused')
  })

  it('is rejected when its counter decreases, and accepted without a counter', async () => {
    const device = await withPasskey()
    expect(await alone(device.answer(await options(), { counter: 7 }))).toBe('signed-in')
    expect(await alone(device.answer(await options(), { counter: 7 }))).toBe('refused')
    expect(await alone(device.answer(await options(), { counter: 6 }))).toBe('refused')
    expect(await alone(device.answer(await options(), { counter: 8 }))).toBe('signed-in')
  })

  it('signs in repeatedly when it has no counter', async () => {
    const device = await withPasskey()
    for (let n = 0; n < 2; n++)
      expect(await alone(device.answer(await options(), { counter: 0 }))).toBe('signed-in')
  })

  it.each([
    ['another origin', { origin: 'https://console.example.evil.example' }],
    ['plain http', { origin: 'http://console.example' }],
    ['another relying party', { rpId: 'evil.example' }],
  ])('is rejected for %s, at registration and at sign-in', async (_, lies) => {
    const device = await withPasskey()
    expect(await alone(device.answer(await options(), lies))).toBe('refused')
    const caller = await callerOf(sidOf(await signInByPasskey(device.answer(await options()), client())))
    const other = authenticator(ORIGIN)
    await expect(add(caller, other.make(await making(caller), lies))).rejects.toMatchObject({
      code: 'invalid_request',
    })
  })

  it('is rejected with a challenge that is foreign, expired, or made for another use', async () => {
    const device = await withPasskey()
    const theirs = { ...(await options()), challenge: 'bm90IG91cnM' }
    expect(await alone(device.answer(theirs))).toBe('refused')
    expect(await alone(device.answer(await options(reauthenticationIn('a session'))))).toBe('refused')
    const old = await options()
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 5 * 60_000 + 1 })
    expect(await alone(device.answer(old))).toBe('refused')
  })

  it('does not count as a second factor of another person', async () => {
    const theirs = await withPasskey()
    email = `bo.${made}@alder.example`
    await join('alder', email, { passwordHash: hash })
    await withPasskey()
    const pending = client(pendingOf(await enter(email)))
    const passkey = theirs.answer(await options())
    expect(await proveStep({ passkey }, pending)).toEqual({ kind: 'refused' })
  })

  it('is rejected under the id of another passkey', async () => {
    const device = await withPasskey()
    const id = device.answer(await options()).id
    expect(await alone(authenticator(ORIGIN).answer(await options(), { id, counter: 50 }))).toBe('refused')
    expect(await alone(authenticator(ORIGIN).answer(await options()))).toBe('refused')
  })

  it('is stored once, and only for the person who requested its registration', async () => {
    const [ana, other] = [
      await callerOf(sidOf(await enter(email))),
      await callerOf(sidOf(await enter(email))),
    ]
    const device = authenticator(ORIGIN)
    const problem = { code: 'invalid_request' }
    await expect(add(ana, device.make(await making(other)))).rejects.toMatchObject(problem)
    const passkey = device.make(await making(ana))
    await add(ana, passkey)
    await expect(add(ana, passkey)).rejects.toMatchObject(problem)
    await expect(add(ana, device.make(await making(ana)))).rejects.toMatchObject(problem)
  })

  it('is rejected with any garbled answer', async () => {
    const device = await withPasskey()
    const good = async () => device.answer(await options())
    const answer = await good()
    for (const field of ['clientDataJSON', 'authenticatorData', 'signature'] as const) {
      for (const text of ['AAAA', 'e30', answer.response[field].slice(0, 20)]) {
        const garbled = { ...(await good()), response: { ...(await good()).response, [field]: text } }
        expect(await alone(garbled)).toBe('refused')
      }
    }
    const caller = await callerOf(sidOf(await signInByPasskey(await good(), client())))
    const made = authenticator(ORIGIN).make(await making(caller))
    const broken = { ...made, response: { ...made.response, attestationObject: 'oA' } }
    await expect(add(caller, broken)).rejects.toMatchObject({ code: 'invalid_request' })
  })
})

it('answered challenges are remembered until they expire', async () => {
  const device = await withPasskey()
  await alone(device.answer(await options()))
  expect(await pruneChallenges()).toBe(0)
})

it.each([
  ['https://console.example', { id: 'console.example', origin: 'https://console.example' }],
  ['https://console.example:8443', { id: 'console.example', origin: 'https://console.example:8443' }],
  ['http://localhost:3000', { id: 'localhost', origin: 'http://localhost:3000' }],
  ['http://console.example', 'not-safe'],
  ['https://192.0.2.7', 'address'],
  ['http://127.0.0.1:3000', 'address'],
  ['http://[::1]:3000', 'address'],
])('the relying party of %s is %j', (baseUrl, party) => {
  vi.stubEnv('BASE_URL', baseUrl)
  expect(relyingParty()).toEqual(party)
})
