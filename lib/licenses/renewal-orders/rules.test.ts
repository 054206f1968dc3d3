import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  isOffered,
  nextTermEnd,
  orderText,
  phaseOf,
  type RenewalFacts,
  whatBegan,
  whyNoOrder,
} from './rules.ts'

const DAY = 86_400_000
const END = Date.UTC(2027, 2, 1)
const FACTS: RenewalFacts = {
  status: 'ACTIVE',
  isCommitmentPlan: true,
  commitmentEnd: END,
  renewalType: 'AUTO_RENEW_YEARLY_PAY',
  choice: 'total',
  endActions: ['cancel', 'extended-term'],
  hasOrder: false,
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
    ['a plan that ends by an order of its customer', { renewalType: 'CANCEL', hasOrder: true }, 0, undefined],
    ['an Extended Service Term', { renewalType: 'EXTENDED_SERVICE_TERM_UNLESS_CANCELLED' }, 0, undefined],
    ['a plan that switches to flexible', { renewalType: 'SWITCH_TO_PAY_AS_YOU_GO' }, 0, 'ends'],
  ])('%s', (_, facts, now, expected) => {
    expect(whyNoOrder({ ...FACTS, ...facts }, now)).toBe(expected)
  })

  it('takes a total where any can be named, and else one of the ways', () => {
    const types = { choice: { renewalTypes: ['AUTO_RENEW_YEARLY_PAY'] }, endActions: [] }
    const total = { quantity: 1, renewalType: null }
    const way = (renewalType: string) => ({ quantity: null, renewalType })
    expect(isOffered(FACTS, total)).toBe(true)
    expect(isOffered(FACTS, way('AUTO_RENEW_YEARLY_PAY'))).toBe(false)
    expect(isOffered(types, total)).toBe(false)
    expect(isOffered(types, way('AUTO_RENEW_YEARLY_PAY'))).toBe(true)
    expect(isOffered(types, way('CANCEL'))).toBe(false)
  })

  it('takes an end as an action only', () => {
    const cancel = { quantity: null, renewalType: 'CANCEL' }
    expect(isOffered(FACTS, cancel, 'cancel')).toBe(true)
    expect(isOffered(FACTS, cancel)).toBe(false)
    expect(isOffered({ ...FACTS, endActions: [] }, cancel, 'cancel')).toBe(false)
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

describe('what follows a term', () => {
  const before = { isCommitmentPlan: true, commitmentEnd: END, status: 'ACTIVE' }
  const microsoft = ['cancel', 'extended-term'] as const
  const monthly = { isCommitmentPlan: false, commitmentEnd: undefined }
  it.each<[string, Partial<typeof before> | typeof monthly, number, ReturnType<typeof whatBegan>]>([
    ['nothing while it runs', {}, END - 1, undefined],
    ['another term', { commitmentEnd: END + 365 * DAY }, END, 'term'],
    ['an Extended Service Term', monthly, END, 'extended-term'],
    ['none of a plan that became flexible early', monthly, END - 30 * DAY, undefined],
    ['the end', { status: 'EXPIRED' }, END - 60_000, 'cancel'],
    ['the end of a suspended plan', { status: 'SUSPENDED' }, END, 'cancel'],
    ['no end of a plan that was suspended before', { status: 'SUSPENDED' }, END - 60_000, undefined],
  ])('is %s', (_, after, now, expected) => {
    const order = { termEnd: END, renewalType: 'CANCEL', endActions: microsoft }
    expect(whatBegan(order, { ...before, ...after }, now)).toBe(expected)
  })

  it('is no end of a suspended plan without an order of it, and no Extended Service Term at other vendors', () => {
    const order = { termEnd: END, renewalType: 'AUTO_RENEW', endActions: [] }
    expect(whatBegan(order, { ...before, status: 'SUSPENDED' }, END)).toBeUndefined()
    expect(whatBegan(order, { ...before, status: 'EXPIRED' }, END)).toBe('cancel')
    expect(whatBegan(order, { ...before, ...monthly }, END)).toBeUndefined()
  })
})

it.each([
  [{ quantity: 1 }, '1 license'],
  [{ quantity: 1200 }, '1,200 licenses'],
  [{ renewalType: 'CANCEL' }, 'Ends'],
  [{ renewalType: 'EXTENDED_SERVICE_TERM' }, 'Continues as a paid Extended Service Term, at a surcharge'],
  [{ renewalType: 'AUTO_RENEW_YEARLY_PAY' }, 'Renews with the same licenses'],
])('An order of %j is described in words', (order, text) => {
  expect(orderText(order)).toBe(text)
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
