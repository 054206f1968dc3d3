import { describe, expect, it } from 'vitest'
import { LINK_SECONDS, reachOfLink, stateOf } from './rules.ts'

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

describe('a new password opens', () => {
  it.each([
    ['invitation', false, false, 'membership'],
    ['invitation', false, true, 'membership'],
    ['invitation', true, false, 'person'],
    ['invitation', true, true, 'membership'],
    ['reset', false, true, 'membership'],
    ['reset', true, true, 'person'],
    ['recovery', true, true, 'person'],
  ] as const)('by %s, mailed %s, with a password before %s: the %s', (kind, isMailed, hasPassword, reach) => {
    expect(reachOfLink(kind, { isMailed, hasPassword })).toBe(reach)
  })
})
