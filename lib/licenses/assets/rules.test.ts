import { describe, expect, it } from 'vitest'
import { atItsEnd, movesVersion, planKindOf, usageOf } from './rules.ts'

describe('the seat version', () => {
  const row = {
    seatsPurchased: 20,
    seatsMaximum: 20,
    planName: 'FLEXIBLE',
    isCommitmentPlan: false,
    status: 'ACTIVE',
  }
  it.each([
    [{ seatsPurchased: 21 }, true],
    [{ seatsMaximum: 30 }, true],
    [{ planName: 'TRIAL' }, true],
    [{ isCommitmentPlan: true }, true],
    [{ status: 'SUSPENDED' }, true],
    [{ seatsAssigned: 3 }, false],
    [{}, false],
  ])('moves with %j: %s', (change, moves) => {
    expect(movesVersion(row, { ...row, ...change })).toBe(moves)
  })
})

it.each([
  ['AUTO_RENEW_YEARLY_PAY', { verb: 'Renews' }],
  ['RENEW_CURRENT_USERS_MONTHLY_PAY', { verb: 'Renews', how: 'with the licenses in use' }],
  ['SWITCH_TO_PAY_AS_YOU_GO', { verb: 'Becomes flexible' }],
  ['CANCEL', { verb: 'Ends' }],
  ['SOMETHING_NEW', { verb: 'Renews', how: '(SOMETHING_NEW)' }],
])('at its end, %s is told in words', (renewalType, words) => {
  expect(atItsEnd(renewalType)).toEqual(words)
})

it.each([
  [0, 0, 'full'],
  [1, 0, 'idle'],
  [5, 3, 'idle'],
  [5, 4, 'used'],
  [10, 8, 'used'],
  [10, 7, 'idle'],
  [10, 10, 'full'],
  [10, 12, 'full'],
  [1_000_000, 799_999, 'idle'],
  [1_000_000, 800_000, 'used'],
])('of %i licenses %i are assigned: %s', (purchased, assigned, usage) => {
  expect(usageOf({ purchased, assigned })).toBe(usage)
})

it.each([
  [{ planName: null, isCommitmentPlan: null }, 'usage-based'],
  [{ planName: 'TRIAL', isCommitmentPlan: true }, 'commitment'],
  [{ planName: 'TRIAL', isCommitmentPlan: false }, 'trial'],
  [{ planName: 'SOMETHING', isCommitmentPlan: false }, 'flexible'],
])('%j is %s', (plan, kind) => {
  expect(planKindOf(plan)).toBe(kind)
})
