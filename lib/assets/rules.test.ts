import { describe, expect, it } from 'vitest'
import { movesVersion } from './rules.ts'

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
