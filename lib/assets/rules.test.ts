import { describe, expect, it } from 'vitest'
import { atItsEnd, movesVersion } from './rules.ts'

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
