import { describe, expect, it } from 'vitest'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { type Factor, methodOfScope } from '../factors/rules.ts'
import { type Membership, nextStep, openedBy, passwordsOf, pickable } from './rules.ts'

const at = (customer: string, values: Partial<Membership> = {}): Membership => ({
  customerId: customer as CustomerId,
  customerName: customer,
  customerDomain: `${customer}.example`,
  memberId: `at-${customer}`,
  name: 'Ana',
  email: 'ana@a.example',
  passwordHash: 'persons',
  isOwn: false,
  isDisabled: false,
  isRemoved: false,
  isInvited: false,
  isRecognized: false,
  isSignOnOnly: false,
  issuerDigests: [],
  factors: [],
  demandsFactor: false,
  factorsResetAt: null,
  isIsolated: false,
  isClosed: false,
  ...values,
})
const membershipWith = (passwordHash: string | null) => ({ passwordHash, isOwn: true })
const opened = (hash: string, ...memberships: Membership[]) =>
  openedBy(hash, { memberships }).map(({ customerId }) => customerId)

describe('a password', () => {
  it('opens memberships without a password of their own, where it is the person’s', () => {
    expect(opened('persons', at('a'), at('b'), at('c', membershipWith('x')))).toEqual(['a', 'b'])
  })

  it('opens its own membership, and those that were accepted with the same password', () => {
    expect(opened('x', at('a', membershipWith('x')), at('b', membershipWith('y')), at('c'))).toEqual(['a'])
    expect(opened('x', at('a', membershipWith('x')), at('b', membershipWith('x')), at('c'))).toEqual([
      'a',
      'b',
    ])
  })

  it('opens no membership that is disabled or not accepted', () => {
    expect(opened('persons', at('a', { isDisabled: true }), at('b', { isInvited: true }))).toEqual([])
    expect(opened('x', at('a', { ...membershipWith('x'), isDisabled: true }), at('b'))).toEqual([])
  })

  it('opens nothing where no hash matches', () => {
    expect(opened('other', at('a'), at('b', membershipWith('x')), at('c', membershipWith(null)))).toEqual([])
  })
})

it('passwordsOf lists each password of a person once, without those of disabled memberships', () => {
  const memberships = [
    at('a'),
    at('b'),
    at('c', membershipWith('x')),
    at('d', { ...membershipWith('y'), isDisabled: true }),
  ]
  expect(passwordsOf({ memberships })).toEqual(['persons', 'x'])
  expect(passwordsOf({ memberships: [at('a', membershipWith(null))] })).toEqual([])
})

describe('nextStep after a verified credential', () => {
  const [a, b] = [at('a'), at('b')]
  it.each([
    ['nothing, where it opens nothing', [], undefined, { kind: 'refuse' }],
    ['a session, where it opens one', [a], undefined, { kind: 'open', membership: a }],
    ['the pick, where it opens several', [a, b], undefined, { kind: 'pick' }],
    ['a session of the one that was picked', [a, b], 'b', { kind: 'open', membership: b }],
    ['the pick again, after one that it does not open', [a, b], 'c', { kind: 'pick' }],
    ['the pick again, after one that is gone, though there is one left', [a], 'b', { kind: 'pick' }],
  ])('returns %s', (_, memberships, picked, step) => {
    expect(nextStep({ memberships, picked, proven: ['password'] })).toEqual(step)
  })
})

describe('nextStep with second factors, after a verified credential', () => {
  const factor = (factorScope: string | null): Factor => ({
    id: `at ${factorScope}`,
    kind: 'totp',
    name: 'App',
    reach: factorScope,
    createdAt: new Date(),
    credential: null,
    transports: null,
  })
  const [plain, persons] = [at('a'), at('b', { factors: [factor(null)] })]
  const [withFactor, bare] = [at('c', { factors: [factor('c')] }), at('d', { demandsFactor: true })]
  const ofPerson = ['password', methodOfScope(null)]
  const stepFactor = (membership?: Membership, mayGoWithout = false) => ({
    kind: 'factor',
    ...(membership ? { membership } : {}),
    mayGoWithout,
  })
  it.each([
    ['the factor', [persons], undefined, ['password'], stepFactor(persons)],
    ['a session, once it is proven', [persons], undefined, ofPerson, { kind: 'open', membership: persons }],
    ['the factor ahead of the pick', [persons, withFactor], undefined, ['password'], stepFactor()],
    [
      'the factor, which others go without',
      [plain, persons],
      undefined,
      ['password'],
      stepFactor(undefined, true),
    ],
    ['the pick, once one is proven', [persons, withFactor], undefined, ofPerson, { kind: 'pick' }],
    ['the factor of the one that was picked', [persons, withFactor], 'c', ofPerson, stepFactor(withFactor)],
    [
      'its setting up, where one is demanded',
      [bare],
      undefined,
      ['password'],
      { kind: 'set-up', membership: bare },
    ],
    ['the pick, where one of several demands it', [plain, bare], undefined, ['password'], { kind: 'pick' }],
    [
      'its setting up, where that one was picked',
      [plain, bare],
      'd',
      ofPerson,
      { kind: 'set-up', membership: bare },
    ],
    [
      'a session of one that needs none',
      [plain, persons],
      'a',
      ['password'],
      { kind: 'open', membership: plain },
    ],
  ])('returns %s', (_, memberships, picked, verifiedMethods, step) => {
    expect(nextStep({ memberships, picked, proven: verifiedMethods })).toEqual(step)
  })

  it('hides customers that need a factor from a caller with only a password', () => {
    expect(pickable([plain, persons, bare], ['password'])).toEqual([plain, bare])
    expect(pickable([plain, persons, withFactor], ofPerson)).toEqual([plain, persons, withFactor])
  })
})
