import { describe, expect, test } from 'vitest'
import type { LastPrice } from '#lib/costs/license-prices/rules.ts'
import { decideBy } from '#lib/licenses/assets/rules.ts'
import { quarterOf } from '#lib/platform/values/days.ts'
import {
  byMonth,
  moneyOf,
  monthsFrom,
  nextCostOf,
  type Plan,
  quartersFrom,
  renewalOf,
  sumsOf,
} from './rules.ts'

const NOW = Date.parse('2026-11-23T08:41:00Z')
const PRICE: LastPrice = {
  price: '18',
  currency: 'USD',
  months: 1,
  invoiceId: 'IN-1',
  invoiceDate: '2026-10-31',
}
const plan = (overrides: Partial<Plan> = {}): Plan => ({
  asset: { id: 'workspace-suite-1', name: 'Business Plus', type: 'workspace-suite' },
  domain: 'northwind.example',
  planName: 'ANNUAL_MONTHLY_PAY',
  purchased: 120,
  assigned: 100,
  at: Date.parse('2026-12-03T00:00:00Z'),
  renewalType: 'AUTO_RENEW',
  scheduledTotal: null,
  ...overrides,
})

describe('the last day to decide', () => {
  test.each([
    ['2026-12-03T00:00:00Z', '2026-12-02'],
    ['2026-12-03T00:00:01Z', '2026-12-02'],
    ['2026-12-02T23:59:59.999Z', '2026-12-01'],
    ['2027-01-01T00:00:00Z', '2026-12-31'],
    ['2028-03-01T12:00:00Z', '2028-02-29'],
  ])('for a commitment until %s is %s, before its end', (at, day) => {
    expect(decideBy(Date.parse(at))).toBe(day)
    expect(Date.parse(day) + 86_400_000).toBeLessThanOrEqual(Date.parse(at))
  })
})

describe('money', () => {
  test.each([
    ['a monthly price of a monthly plan', PRICE, 'ANNUAL_MONTHLY_PAY', '2160', 'month', '25920'],
    ['a monthly price of a yearly plan', PRICE, 'ANNUAL_YEARLY_PAY', '25920', 'year', '25920'],
    ['a yearly price', { ...PRICE, price: '100', months: 12 }, 'ANNUAL_YEARLY_PAY', '12000', 'year', '12000'],
    [
      'a yearly price of a monthly plan',
      { ...PRICE, price: '100', months: 12 },
      'X',
      '1000',
      'month',
      '12000',
    ],
    ['a price of no whole months', { ...PRICE, months: null }, 'ANNUAL_YEARLY_PAY', '2160', 'bill', null],
    // 0.1234 × 120 = 14.808, rounded once; a year is 177.696, and not twelve times the rounded month.
    ['a fine price', { ...PRICE, price: '0.1234' }, 'X', '14.81', 'month', '177.7'],
    [
      'a currency without a minor unit',
      { ...PRICE, price: '10.25', currency: 'JPY' },
      'X',
      '1230',
      'month',
      '14760',
    ],
    ['a third of a year', { ...PRICE, price: '10', months: 3 }, 'X', '400', 'month', '4800'],
  ] as const)('is paid as the plan is: %s', (_, price, planName, amount, per, yearly) => {
    expect(moneyOf(120, price, planName)).toEqual({ amount, currency: price.currency, per, yearly })
  })

  test('is returned for all licenses, and separately for idle ones', () => {
    const { idle, cost, idleCost } = renewalOf(plan(), PRICE, 3)
    expect([idle, cost?.amount, idleCost?.amount]).toEqual([20, '2160', '360'])
  })

  test('is absent without a price, and no license is idle where more are assigned than purchased', () => {
    expect(renewalOf(plan(), undefined, 3)).not.toHaveProperty('cost')
    const over = renewalOf(plan({ assigned: 130 }), PRICE, 3)
    expect(over.idle).toBe(0)
    expect(over).not.toHaveProperty('idleCost')
  })
})

describe('the cost after the end', () => {
  test.each<[string, Partial<Plan>, number, string | undefined, string?]>([
    ['of a renewal is that of the licenses', {}, 3, '2160', 'month'],
    ['of an order is that of its total', { scheduledTotal: 96 }, 3, '1728', 'month'],
    ['of an order is known where nothing is stated', { renewalType: null, scheduledTotal: 96 }, 3, '1728'],
    ['is that of the licenses in use', { renewalType: 'RENEW_CURRENT_USERS_MONTHLY_PAY' }, 3, '1800'],
    ['of an Extended Service Term has 3 %', { renewalType: 'EXTENDED_SERVICE_TERM' }, 3, '2224.8', 'month'],
    [
      'of an Extended Service Term can have 23 %, and is paid by the month',
      { renewalType: 'EXTENDED_SERVICE_TERM_UNLESS_CANCELLED', planName: 'ANNUAL_YEARLY_PAY' },
      23,
      '2656.8',
      'month',
    ],
    ['is none of a plan that ends', { renewalType: 'CANCEL' }, 3, undefined],
    [
      'is unknown of a plan that switches to flexible',
      { renewalType: 'SWITCH_TO_PAY_AS_YOU_GO' },
      3,
      undefined,
    ],
    ['is unknown where nothing is stated', { renewalType: null }, 3, undefined],
  ])('%s', (_, overrides, surcharge, amount, per = 'month') => {
    expect(nextCostOf(plan(overrides), PRICE, surcharge)).toEqual(
      amount === undefined ? undefined : expect.objectContaining({ amount, per }),
    )
  })
})

describe('months', () => {
  test('are the present one and the following eleven', () => {
    const names = monthsFrom(NOW).map((begin) => new Date(begin).toISOString().slice(0, 7))
    expect([names.length, names[0], names[1], names[11]]).toEqual([12, '2026-11', '2026-12', '2027-10'])
  })

  test('contain the renewals that end in them, in UTC', () => {
    const ends = [
      '2026-11-30T23:59:59Z',
      '2026-12-01T00:00:00Z',
      '2026-12-31T23:59:59Z',
      '2027-10-31T00:00:00Z',
    ]
    const renewals = ends.map((at) => renewalOf(plan({ at: Date.parse(at) }), undefined, 3))
    const months = byMonth(renewals, NOW)
    expect(months.map(({ count }) => count)).toEqual([1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1])
    expect(months[1]).toEqual({ begin: Date.parse('2026-12-01'), count: 2, licenses: 240, idle: 40 })
  })
})

describe('sums', () => {
  const renewal = (price: LastPrice | undefined, overrides?: Partial<Plan>) =>
    renewalOf(plan(overrides), price, 3)

  test('add up the shown amounts exactly, per currency', () => {
    const tenth = { ...PRICE, price: '0.1', months: 12 }
    const rows = [
      ...Array.from({ length: 3 }, () => renewal(tenth, { purchased: 1, assigned: 0 })),
      renewal({ ...PRICE, currency: 'EUR' }),
      renewal({ ...PRICE, currency: 'EUR' }, { assigned: 120 }),
    ]
    expect(sumsOf(rows)).toEqual([
      { currency: 'EUR', count: 2, amount: '51840', idleAmount: '4320' },
      { currency: 'USD', count: 3, amount: '0.3', idleAmount: '0.3' },
    ])
  })

  test('omit renewals without a yearly price', () => {
    expect(sumsOf([renewal(undefined), renewal({ ...PRICE, months: null })])).toEqual([])
  })
})

test.each([
  ['2026-10-01T00:00:00Z', ['2026-Q4', '2027-Q1', '2027-Q2', '2027-Q3']],
  ['2026-12-31T23:59:59.999Z', ['2026-Q4', '2027-Q1', '2027-Q2', '2027-Q3']],
  ['2027-01-01T00:00:00Z', ['2027-Q1', '2027-Q2', '2027-Q3', '2027-Q4']],
])('the quarters at %s end within its twelve months', (at, expected) => {
  const months = monthsFrom(Date.parse(at)).map((begin) => quarterOf(begin))
  expect(quartersFrom(Date.parse(at))).toEqual(expected)
  expect(months).toContain(expected[0])
  for (const quarter of expected.slice(1)) expect(months.filter((one) => one === quarter)).toHaveLength(3)
})
