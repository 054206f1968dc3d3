import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isOffered, nextTermEnd, phaseOf, type RenewalFacts, whyNoOrder } from './rules.ts'

const DAY = 86_400_000
const END = Date.UTC(2027, 2, 1)
const FACTS: RenewalFacts = {
  status: 'ACTIVE',
  isCommitmentPlan: true,
  commitmentEnd: END,
  renewalType: 'AUTO_RENEW_YEARLY_PAY',
  choice: 'total',
  hasNextTerm: true,
}

describe('whether anything can be ordered', () => {
  it.each<[string, Partial<RenewalFacts>, number, ReturnType<typeof whyNoOrder>]>([
    ['a commitment that goes on', {}, END - 1, undefined],
    ['one of which it is not said what happens then', { renewalType: undefined }, END - 1, undefined],
    [
      'one that renews with the licenses in use',
      { renewalType: 'RENEW_CURRENT_USERS_YEARLY_PAY' },
      0,
      undefined,
    ],
    ['a suspended one', { status: 'SUSPENDED' }, 0, 'not_active'],
    ['a flexible plan', { isCommitmentPlan: false, commitmentEnd: undefined }, 0, 'no_commitment'],
    ['a vendor that takes none', { choice: undefined }, 0, 'not_offered'],
    ['an end that nobody knows', { commitmentEnd: undefined }, 0, 'no_end'],
    ['a next term that nobody can reckon', { hasNextTerm: false }, 0, 'no_end'],
    ['a term that has ended', {}, END, 'ended'],
    ['a plan that ends', { renewalType: 'CANCEL' }, 0, 'ends'],
    ['a plan that becomes flexible', { renewalType: 'SWITCH_TO_PAY_AS_YOU_GO' }, 0, 'ends'],
  ])('%s', (_, facts, now, expected) => {
    expect(whyNoOrder({ ...FACTS, ...facts }, now)).toBe(expected)
  })

  it('takes a total where any can be named, and else one of the ways', () => {
    const types = { choice: { renewalTypes: ['AUTO_RENEW_YEARLY_PAY'] } }
    const total = { quantity: 1, renewalType: null }
    const way = (renewalType: string) => ({ quantity: null, renewalType })
    expect(isOffered(FACTS, total)).toBe(true)
    expect(isOffered(FACTS, way('AUTO_RENEW_YEARLY_PAY'))).toBe(false)
    expect(isOffered(types, total)).toBe(false)
    expect(isOffered(types, way('AUTO_RENEW_YEARLY_PAY'))).toBe(true)
    expect(isOffered(types, way('CANCEL'))).toBe(false)
  })
})

describe("an order's term", () => {
  const plan = { isCommitmentPlan: true, commitmentEnd: END }
  it.each<[string, Partial<typeof plan>, number, ReturnType<typeof phaseOf>]>([
    ['runs until its end', {}, END - 1, { kind: 'running' }],
    ['is due then', {}, END, { kind: 'due' }],
    ['follows a later end', { commitmentEnd: END + DAY }, END - 1, { kind: 'moved', termEnd: END + DAY }],
    ['follows an earlier end', { commitmentEnd: END - DAY }, END - 1, { kind: 'moved', termEnd: END - DAY }],
    ['is over where another term has begun', { commitmentEnd: END + 365 * DAY }, END, { kind: 'over' }],
    [
      'is over where the vendor renewed a moment before our clock',
      { commitmentEnd: END + 365 * DAY },
      END - 5000,
      { kind: 'over' },
    ],
    ['is none without a commitment', { isCommitmentPlan: false }, 0, { kind: 'none' }],
  ])('%s', (_, change, now, expected) => {
    expect(phaseOf(END, { ...plan, ...change }, now)).toEqual(expected)
  })

  it('is never due while it runs', () => {
    const time = fc.integer({ min: END - 500 * DAY, max: END + 500 * DAY })
    fc.assert(
      fc.property(time, time, time, (termEnd, commitmentEnd, now) => {
        if (phaseOf(termEnd, { ...plan, commitmentEnd }, now).kind === 'due')
          expect(Math.max(termEnd, commitmentEnd)).toBeLessThanOrEqual(now)
      }),
    )
  })
})

describe('the next term', () => {
  const on = (text: string) => Date.parse(`${text}T00:00:00Z`)
  it.each([
    ['2026-03-01', '2027-03-01', '2028-03-01'],
    ['2026-03-01', '2027-02-28', '2028-02-28'],
    ['2027-03-01', '2028-02-29', '2029-02-28'],
    ['2026-01-31', '2026-02-28', '2026-03-28'],
    ['2026-12-31', '2027-01-31', '2027-02-28'],
    ['2025-06-15', '2028-06-15', '2031-06-15'],
  ])('from %s to %s: ends %s', (start, end, next) => {
    expect(nextTermEnd({ start: on(start), end: on(end), planName: 'OTHER' })).toBe(on(next))
  })
  it('is a year for an annual plan with an unknown begin, and otherwise unknown', () => {
    expect(nextTermEnd({ start: undefined, end: on('2027-03-01'), planName: 'ANNUAL_YEARLY_PAY' })).toBe(
      on('2028-03-01'),
    )
    expect(nextTermEnd({ start: undefined, end: on('2027-03-01'), planName: 'OTHER' })).toBeUndefined()
    expect(nextTermEnd({ start: END, end: END, planName: 'ANNUAL_YEARLY_PAY' })).toBeUndefined()
  })
})
