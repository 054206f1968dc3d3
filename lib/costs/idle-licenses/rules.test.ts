import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { idleOf, type Plan } from './rules.ts'

const PLAN: Plan = {
  ...{ status: 'ACTIVE', isCommitmentPlan: false, planName: 'FLEXIBLE', purchased: 240, assigned: 182 },
  ...{ isBilledByUse: false, leastIdle: 58 },
}
const PRICE = { price: '18', currency: 'USD', months: 1, invoiceDate: '2026-10-31' }
const COST = { amount: '1044', currency: 'USD', isMonthly: true }

describe('idle licenses', () => {
  it.each<[string, Partial<Plan>, object]>([
    ['58 for long, which can be lowered now', {}, { now: 58, longIdle: 58, lowerTo: 182, cost: COST }],
    [
      'those of a while are no longer so',
      { leastIdle: 100 },
      { now: 58, longIdle: 58, lowerTo: 182, cost: COST },
    ],
    [
      'fewer for long',
      { leastIdle: 20 },
      { now: 58, longIdle: 20, lowerTo: 220, cost: { ...COST, amount: '360' } },
    ],
    ['none long idle', { leastIdle: -3 }, { now: 58, longIdle: 0, lowerTo: null }],
    ['not known for long', { leastIdle: null }, { now: 58, longIdle: null, lowerTo: 182, cost: COST }],
    ['a commitment', { isCommitmentPlan: true }, { now: 58, longIdle: 58, lowerTo: null, cost: COST }],
    ['not active', { status: 'SUSPENDED' }, { now: 58, longIdle: 58, lowerTo: null, cost: COST }],
    ['billed by use', { isBilledByUse: true }, { now: 58, longIdle: 58, lowerTo: null }],
    ['a trial', { planName: 'TRIAL' }, { now: 58, longIdle: 58, lowerTo: null }],
    ['more assigned than there are', { assigned: 300, leastIdle: 5 }, { now: 0, longIdle: 0, lowerTo: null }],
  ])('%s', (_, overrides, idle) => expect(idleOf({ ...PLAN, ...overrides }, PRICE)).toEqual(idle))

  it('have no cost without a known price', () => {
    expect(idleOf(PLAN, undefined)).toEqual({ now: 58, longIdle: 58, lowerTo: 182 })
  })

  it('never exceed the free ones, and a proposed total leaves each user a license', () => {
    const seats = fc.record({
      purchased: fc.nat(1000),
      assigned: fc.nat(1000),
      leastIdle: fc.option(fc.integer({ min: -1000, max: 1000 })),
      isCommitmentPlan: fc.boolean(),
    })
    fc.assert(
      fc.property(seats, (overrides) => {
        const { now, longIdle, lowerTo } = idleOf({ ...PLAN, ...overrides }, undefined)
        expect(now).toBe(Math.max(0, overrides.purchased - overrides.assigned))
        expect(longIdle ?? 0).toBeLessThanOrEqual(now)
        if (lowerTo === null) return
        expect(lowerTo).toBeLessThan(overrides.purchased)
        expect(lowerTo).toBeGreaterThanOrEqual(overrides.assigned)
        expect(overrides.isCommitmentPlan).toBe(false)
      }),
    )
  })
})
