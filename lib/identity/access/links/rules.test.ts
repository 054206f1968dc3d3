import { describe, expect, it } from 'vitest'
import { LINK_SECONDS, passwordScopeOf, stateOf } from './rules.ts'

it('an invitation lasts for seven days, a link for a new password for half an hour', () => {
  expect(LINK_SECONDS).toEqual({ invitation: 604_800, reset: 1800 })
})

it.each([
  [false, false, false, 'open'],
  [false, false, true, 'expired'],
  [false, true, false, 'withdrawn'],
  [false, true, true, 'withdrawn'],
  [true, false, false, 'used'],
  [true, true, true, 'used'],
] as const)('used %s, withdrawn %s, past its time %s: %s', (isUsed, isWithdrawn, isExpired, state) => {
  expect(stateOf({ isUsed, isWithdrawn, isExpired })).toBe(state)
})

describe('passwordScopeOf', () => {
  it.each([
    ['invitation', false, false, false, 'membership'],
    ['invitation', false, true, false, 'membership'],
    ['invitation', true, false, false, 'person'],
    ['invitation', true, true, false, 'membership'],
    ['invitation', true, false, true, 'membership'],
    ['reset', false, true, false, 'membership'],
    ['reset', true, true, false, 'person'],
    ['reset', true, true, true, 'membership'],
    ['recovery', true, true, false, 'person'],
    ['recovery', true, true, true, 'membership'],
  ] as const)('sets a password by %s (mailed %s, existing password %s, away %s) for the %s', (...row) => {
    const [kind, isMailed, hasPassword, isAway, passwordScope] = row
    expect(passwordScopeOf(kind, { isMailed, hasPassword, isAway })).toBe(passwordScope)
  })
})
