import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decideQuantity, MAX_QUANTITY, minimumQuantity, needsTypedTotal } from './quantity-rule.ts'

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
