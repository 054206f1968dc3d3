import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DAY_MS } from '#lib/platform/values/days.ts'
import {
  type AssetPlan,
  comparableValues,
  KINDS,
  type Need,
  type NeedInputs,
  nameOf,
  needsOf,
  type PastDue,
  sortNeeds,
  type UnmatchedLines,
} from './rules.ts'

const TODAY = '2026-11-20'
const NOW = Date.UTC(2026, 10, 20, 12)
const NONE: NeedInputs = {
  ...{ now: NOW, today: TODAY, surchargePercent: 3 },
  ...{ pastDue: [], plans: [], changes: [], unmatched: [] },
}
const ASSET = { id: 'workspace-suite-1', name: 'Business Plus', type: 'workspace-suite' }
const PRICE = { price: '18', currency: 'USD', months: 1, invoiceDate: '2026-10-31' }
const plan = (values: Partial<AssetPlan> = {}): AssetPlan => ({
  ...{ asset: ASSET, price: PRICE, status: 'ACTIVE', planName: 'FLEXIBLE', isCommitmentPlan: false },
  ...{ purchased: 100, assigned: 100, leastIdle: 0, isBilledByUse: false, isBusy: false },
  ...{ commitmentEnd: null, renewalType: null, scheduledTotal: null, pastAssignment: null, ...values },
})
const kindsOf = (values: Partial<AssetPlan>) =>
  needsOf({ ...NONE, plans: [plan(values)] }).map(({ kind }) => kind)
const IDLE = { assigned: 80, leastIdle: 20 }

describe('the need to lower idle licenses', () => {
  it('arises where the plan can be lowered now', () => {
    expect(needsOf({ ...NONE, plans: [plan(IDLE)] })).toEqual([
      {
        kind: 'idle',
        asset: ASSET,
        idle: {
          purchased: 100,
          count: 20,
          lowerTo: 80,
          cost: { amount: '360', currency: 'USD', isMonthly: true },
        },
      },
    ])
  })
  it.each<[string, Partial<AssetPlan>]>([
    ['on a commitment', { isCommitmentPlan: true }],
    ['while a change is open', { isBusy: true }],
    ['on a suspended subscription', { status: 'SUSPENDED' }],
    ['on a trial', { planName: 'TRIAL' }],
    ['where usage is billed', { isBilledByUse: true }],
    ['where their idle time is unknown', { leastIdle: null }],
    ['where they were assigned in the meantime', { leastIdle: 4 }],
  ])('does not arise %s', (_, values) => expect(kindsOf({ ...IDLE, ...values })).toEqual([]))
  it('arises from five percent of a plan on', () => {
    expect(kindsOf({ assigned: 95, leastIdle: 5 })).toEqual(['idle'])
    expect(kindsOf({ assigned: 96, leastIdle: 4 })).toEqual([])
    expect(kindsOf({ purchased: 1, assigned: 0, leastIdle: 1 })).toEqual(['idle'])
  })
})

describe('the need to decide on a commitment', () => {
  const ends = (days: number, values: Partial<AssetPlan> = {}) =>
    kindsOf({ isCommitmentPlan: true, commitmentEnd: Date.UTC(2026, 10, 20 + days, 23), ...values })
  it.each([
    [0, ['renewal']],
    [90, ['renewal']],
    [91, []],
    [-1, []],
  ])('arises or not, %i days before the end: %j', (days, kinds) => expect(ends(days)).toEqual(kinds))
  it('does not arise after the end, without an active plan, or without a known end', () => {
    expect(kindsOf({ isCommitmentPlan: true, commitmentEnd: NOW - 1 })).toEqual([])
    expect(ends(3, { status: 'CANCELLED' })).toEqual([])
    expect(kindsOf({ isCommitmentPlan: true })).toEqual([])
    expect(ends(3, { isCommitmentPlan: false })).toEqual([])
  })
  it('includes the licenses that are idle now', () => {
    const commitmentEnd = NOW + 10 * DAY_MS
    const [need] = needsOf({
      ...NONE,
      plans: [plan({ isCommitmentPlan: true, commitmentEnd, ...IDLE, leastIdle: 0 })],
    })
    expect(need).toMatchObject({ renewal: { days: 10, idle: 20, cost: { amount: '360' } } })
  })
})

describe('the need to add licenses to a nearly full plan', () => {
  it.each<[string, Partial<AssetPlan>, string[]]>([
    [
      '10 free at 30 in 90 days',
      { assigned: 90, pastAssignment: { assigned: 60, days: 90 } },
      ['nearly-full'],
    ],
    ['11 free at 30 in 90 days', { assigned: 89, pastAssignment: { assigned: 59, days: 90 } }, []],
    ['none free, and grown', { pastAssignment: { assigned: 99, days: 90 } }, ['nearly-full']],
    ['none free for ever', { pastAssignment: { assigned: 100, days: 90 } }, []],
    ['fewer than before', { assigned: 99, pastAssignment: { assigned: 120, days: 90 } }, []],
    ['a pace of a week', { assigned: 99, pastAssignment: { assigned: 50, days: 13 } }, []],
    ['a change under way', { assigned: 99, pastAssignment: { assigned: 50, days: 90 }, isBusy: true }, []],
    ['suspended', { assigned: 99, pastAssignment: { assigned: 50, days: 90 }, status: 'SUSPENDED' }, []],
  ])('%s', (_, values, kinds) => expect(kindsOf(values)).toEqual(kinds))
})

const debt = (values: Partial<PastDue> = {}): PastDue => ({
  ...{ billingProfile: { id: 'default', name: 'Northwind' }, currency: 'USD', count: 2, amount: '0.30' },
  ...{ dueDate: '2026-11-19', ...values },
})
const lines = (values: Partial<UnmatchedLines> = {}): UnmatchedLines => ({
  ...{
    invoice: { id: 'IN-1', number: 'IN-1', day: '2026-10-31' },
    count: 1,
    amount: '-3',
    currency: 'USD',
    ...values,
  },
})

describe('needs about invoices', () => {
  it('arise from the day after the due date', () => {
    const pastDue = [debt(), debt({ currency: 'EUR', dueDate: TODAY }), debt({ currency: 'JPY', count: 0 })]
    expect(needsOf({ ...NONE, pastDue })).toEqual([{ kind: 'past-due', pastDue: { ...debt(), days: 1 } }])
  })
  it('arise for unmatched lines of invoices up to 90 days old', () => {
    const old = { id: 'IN-0', number: 'IN-0', day: '2026-08-21' }
    const unmatched = [lines(), lines({ count: 0 }), lines({ invoice: old })]
    expect(needsOf({ ...NONE, unmatched })).toEqual([{ kind: 'unmatched-lines', unmatched: lines() }])
  })
})

/** Expects the need to refer to a plan that can be acted on. */
function expectToBeOpen(need: Need, { plans }: Pick<NeedInputs, 'plans'>) {
  const its = 'asset' in need && plans.find(({ asset }) => asset.id === need.asset.id)
  if (!its) return
  expect([its.status, need.kind === 'renewal' || !its.isBusy]).toEqual(['ACTIVE', true])
  if (need.kind === 'idle')
    expect([its.isCommitmentPlan, need.idle.lowerTo >= its.assigned]).toEqual([false, true])
}

describe('lines', () => {
  const anyInputs = fc.record({
    now: fc.constant(NOW),
    today: fc.constant(TODAY),
    pastDue: fc.uniqueArray(
      fc
        .record({ currency: fc.constantFrom('USD', 'EUR'), day: fc.nat(40), id: fc.constantFrom('a', 'b') })
        .map((generated) =>
          debt({
            currency: generated.currency,
            billingProfile: { id: generated.id, name: generated.id },
            dueDate: new Date(NOW - generated.day * DAY_MS).toISOString().slice(0, 10),
          }),
        ),
      { selector: ({ currency, billingProfile }) => currency + billingProfile.id },
    ),
    plans: fc.uniqueArray(
      fc
        .record({
          id: fc.nat(20),
          purchased: fc.nat(300),
          assigned: fc.nat(300),
          leastIdle: fc.option(fc.integer({ min: -300, max: 300 })),
          isCommitmentPlan: fc.boolean(),
          status: fc.constantFrom('ACTIVE', 'SUSPENDED', 'CANCELLED'),
          planName: fc.constantFrom('FLEXIBLE', 'TRIAL'),
          isBilledByUse: fc.boolean(),
          isBusy: fc.boolean(),
          commitmentEnd: fc.option(fc.integer({ min: NOW - 9 * DAY_MS, max: NOW + 200 * DAY_MS })),
          pastAssignment: fc.option(fc.record({ assigned: fc.nat(300), days: fc.nat(90) })),
        })
        .map(({ id, ...values }) => plan({ ...values, asset: { ...ASSET, id: `workspace-suite-${id}` } })),
      { selector: ({ asset }) => asset.id },
    ),
    changes: fc.constant([]),
    unmatched: fc.constant([]),
    surchargePercent: fc.constant(3),
  })

  it('have unique names, come most urgent kind first, and offer only possible actions', () => {
    fc.assert(
      fc.property(anyInputs, (inputs) => {
        const needs = sortNeeds(needsOf(inputs))
        expect(new Set(needs.map(nameOf)).size).toBe(needs.length)
        const ranks = needs.map(({ kind }) => KINDS.indexOf(kind))
        expect(ranks).toEqual(ranks.toSorted((a, b) => a - b))
        for (const need of needs) expectToBeOpen(need, inputs)
        // The order in which they were found makes no difference.
        const turned = { ...inputs, plans: inputs.plans.toReversed(), pastDue: inputs.pastDue.toReversed() }
        expect(sortNeeds(needsOf(turned))).toEqual(needs)
      }),
    )
  })

  it('keep their values from day to day until a figure changes', () => {
    fc.assert(
      fc.property(anyInputs, fc.integer({ min: 1, max: 5 }), (inputs, days) => {
        const nextInputs = {
          ...inputs,
          now: NOW + days * DAY_MS,
          today: new Date(NOW + days * DAY_MS).toISOString().slice(0, 10),
        }
        const after = new Map(needsOf(nextInputs).map((need) => [nameOf(need), comparableValues(need)]))
        for (const need of needsOf(inputs)) {
          const comparable = after.get(nameOf(need))
          if (comparable) expect(comparable).toEqual(comparableValues(need))
        }
      }),
    )
  })

  it.each<[string, object]>([
    ['one invoice more', { count: 3 }],
    ['another amount', { amount: '0.31' }],
    ['another one due longest', { dueDate: '2026-11-01' }],
  ])('change their values with %s', (_, moved) => {
    const [before, after] = [debt(), debt(moved)].map((one) => needsOf({ ...NONE, pastDue: [one] })[0])
    expect(before && comparableValues(before)).not.toEqual(after && comparableValues(after))
  })
})
