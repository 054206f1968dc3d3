import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  atEndText,
  decideQuantity,
  MAX_QUANTITY,
  minimumQuantity,
  movesVersion,
  needsTypedTotal,
  outcomeOf,
  planKindOf,
  usageOf,
} from './rules.ts'

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
  ['AUTO_RENEW_YEARLY_PAY', 'renews', 'Renews'],
  ['RENEW_CURRENT_USERS_MONTHLY_PAY', 'renews', 'Renews with the licenses in use'],
  ['SWITCH_TO_PAY_AS_YOU_GO', 'flexible', 'Switches to flexible'],
  ['CANCEL', 'ends', 'Ends'],
  ['EXTENDED_SERVICE_TERM', 'extended-term', 'Continues as a paid Extended Service Term, at a surcharge'],
  [
    'EXTENDED_SERVICE_TERM_UNLESS_CANCELLED',
    'extended-term',
    'Continues as a paid Extended Service Term, at a surcharge, unless cancelled',
  ],
  ['SOMETHING_NEW', 'renews', 'Renews (SOMETHING_NEW)'],
  [null, undefined, 'Commitment ends'],
])('The end of a commitment with %s is described in words', (renewalType, outcome, text) => {
  expect([outcomeOf(renewalType), atEndText(renewalType)]).toEqual([outcome, text])
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
])('Usage of %i licenses with %i assigned is %s', (purchased, assigned, usage) => {
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

const flexible = { status: 'ACTIVE', isCommitmentPlan: false, purchased: 240 }
const annual = { status: 'ACTIVE', isCommitmentPlan: true, purchased: 60, commitmentEnd: 1_803_859_200_000 }
const quantities = fc.integer({ min: 0, max: MAX_QUANTITY })

describe('decideQuantity (spec 8.1)', () => {
  it.each([
    [flexible, 195, { allowed: true, change: -45 }],
    [flexible, 240, { allowed: true, change: 0 }],
    [flexible, 0, { allowed: true, change: -240 }],
    [annual, 61, { allowed: true, change: 1 }],
    [annual, 60, { allowed: true, change: 0 }],
    [
      annual,
      59,
      { allowed: false, reason: 'commitment', current: 60, minimum: 60, until: 1_803_859_200_000 },
    ],
    [{ ...annual, status: 'SUSPENDED' }, 70, { allowed: false, reason: 'not_active', status: 'SUSPENDED' }],
    [{ ...annual, status: 'SUSPENDED' }, 50, { allowed: false, reason: 'not_active', status: 'SUSPENDED' }],
  ])('%j to %i', (quantityState, quantity, decision) => {
    expect(decideQuantity(quantityState, quantity)).toEqual(decision)
  })

  it('never lowers a commitment plan, and always raises an active plan', () => {
    fc.assert(
      fc.property(fc.boolean(), quantities, quantities, (isCommitmentPlan, purchased, quantity) => {
        const quantityState = { status: 'ACTIVE', isCommitmentPlan, purchased }
        expect(decideQuantity(quantityState, quantity).allowed).toBe(
          quantity >= purchased || !isCommitmentPlan,
        )
      }),
    )
  })

  it('agrees with the floor that the control shows', () => {
    fc.assert(
      fc.property(fc.boolean(), quantities, quantities, (isCommitmentPlan, purchased, quantity) => {
        const quantityState = { status: 'ACTIVE', isCommitmentPlan, purchased }
        expect(decideQuantity(quantityState, quantity).allowed).toBe(
          quantity >= minimumQuantity(quantityState),
        )
      }),
    )
  })
})

describe('needsTypedTotal', () => {
  it.each([
    [annual, 72, false],
    [annual, 73, true],
    [{ ...annual, purchased: 1000 }, 1050, false],
    [{ ...annual, purchased: 1000 }, 1051, true],
    [{ ...annual, purchased: 0 }, 1, true],
    [annual, 60, false],
    [flexible, 100_000, false],
  ])('%j to %i: %s', (quantityState, quantity, needed) => {
    expect(needsTypedTotal(quantityState, quantity)).toBe(needed)
  })
})
