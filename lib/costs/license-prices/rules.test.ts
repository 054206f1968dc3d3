import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { costOf, lastPricesOf, monthsOf, type Priced, type PriceLine, seesPrices } from './rules.ts'

describe('seesPrices', () => {
  it.each([
    [['admin'], true, true],
    [['finance-user'], true, true],
    [['it-manager'], false, true],
    [['it-manager', 'finance-user'], true, true],
    [['it-manager'], true, false],
    [[], false, false],
  ] as const)('%j, hidden: %s', (roles, hidesPrices, sees) => {
    expect(seesPrices({ roles }, { hidesPrices })).toBe(sees)
  })
})

describe('the months that a price is for', () => {
  const monthsBetween = (periodStart: string | null, periodEnd: string | null, planName = 'FLEXIBLE') =>
    monthsOf({ periodStart, periodEnd }, planName)
  it.each([
    [monthsBetween('2026-10-01', '2026-11-01'), 1],
    [monthsBetween('2024-02-01', '2024-03-01'), 1],
    [monthsBetween('2026-02-15', '2026-03-15'), 1],
    [monthsBetween('2026-01-01', '2027-01-01'), 12],
    [monthsBetween('2026-10-01', '2027-01-01'), 3],
    [monthsBetween('2026-10-10', '2026-11-01'), null],
    [monthsBetween('2026-10-01', '2026-10-31'), null],
    [monthsBetween('2026-10-01', '2026-10-02'), null],
    [monthsBetween(null, null), 1],
    [monthsBetween(null, '2026-11-01', 'ANNUAL_YEARLY_PAY'), 12],
    [monthsBetween('2026-10-01', '2026-11-01', 'ANNUAL_YEARLY_PAY'), 1],
  ])('%#', (price, expected) => expect(price).toBe(expected))

  it('equal the distance between two days of the same number', () => {
    const days = fc.tuple(
      fc.integer({ min: 0, max: 40 }),
      fc.integer({ min: 1, max: 36 }),
      fc.integer({ min: 1, max: 28 }),
    )
    fc.assert(
      fc.property(days, ([start, months, date]) => {
        const day = (month: number) => new Date(Date.UTC(2020, month, date)).toISOString().slice(0, 10)
        expect(monthsBetween(day(start), day(start + months))).toBe(months)
      }),
    )
  })
})

describe('costOf', () => {
  const price = { price: '0', currency: 'USD', months: 1, invoiceDate: '2026-10-31' }
  it.each([
    [58, { ...price, price: '18' }, { amount: '1044', currency: 'USD', isMonthly: true }],
    [3, { ...price, price: '0.1' }, { amount: '0.3', currency: 'USD', isMonthly: true }],
    [1, { ...price, price: '100', months: 12 }, { amount: '8.33', currency: 'USD', isMonthly: true }],
    [3, { ...price, price: '100', months: 12 }, { amount: '25', currency: 'USD', isMonthly: true }],
    [7, { ...price, price: '10.5', currency: 'JPY' }, { amount: '74', currency: 'JPY', isMonthly: true }],
    [2, { ...price, price: '9.99', months: null }, { amount: '19.98', currency: 'USD', isMonthly: false }],
  ])('calculates the cost of %i licenses at %o', (count, lastPrice, cost) =>
    expect(costOf(count, lastPrice)).toEqual(cost),
  )

  it('differs from the exact amount by half a cent at most', () => {
    const lastPrice = fc.tuple(
      fc.integer({ min: 1, max: 1e6 }),
      fc.integer({ min: 1, max: 1e9 }),
      fc.integer({ min: 1, max: 36 }),
    )
    fc.assert(
      fc.property(lastPrice, ([count, cents, months]) => {
        const { amount } = costOf(count, { ...price, price: `${cents}e-2`, months })
        const [whole = '0', fraction = ''] = amount.split('.')
        const made = BigInt(whole + fraction.padEnd(2, '0')) * BigInt(months)
        const off = made - BigInt(count) * BigInt(cents)
        expect(2n * (off < 0n ? -off : off) <= BigInt(months)).toBe(true)
      }),
    )
  })
})

describe('the last price of an asset', () => {
  const line = (description: string, overrides: Partial<PriceLine> = {}): PriceLine => ({
    ...{
      platform: 'workspace-suite',
      invoiceId: 'IN-1',
      invoiceDate: '2026-10-31',
      description,
      price: '18',
    },
    ...{ qty: '10', currency: 'USD', periodStart: '2026-10-01', periodEnd: '2026-11-01', ...overrides },
  })
  const asset = (id: string, skuName: string, overrides: Partial<Priced> = {}): Priced => ({
    ...{ id, type: 'workspace-suite', skuName, planName: 'FLEXIBLE', purchased: 10, ...overrides },
  })
  const priceIn = (lines: PriceLine[], assets = [asset('a', 'Business Plus')]) =>
    Object.fromEntries([...lastPricesOf(assets, lines)].map(([id, { price }]) => [id, price]))

  it('comes from the line that names the asset, in any letter case', () => {
    expect(priceIn([line('Support', { price: '1' }), line('WORKSPACE business plus, monthly')])).toEqual({
      a: '18',
    })
  })
  it('does not come from a line with a longer name', () => {
    const assets = [asset('a', 'Business Plus'), asset('b', 'Business Plus Archive')]
    const lines = [line('Business Plus Archive', { price: '4' }), line('Business Plus')]
    expect(priceIn(lines, assets)).toEqual({ a: '18', b: '4' })
    expect(priceIn(lines.slice(0, 1), assets)).toEqual({ b: '4' })
  })
  it('does not come from a credit, a sum for many, or another platform', () => {
    expect(priceIn([line('Business Plus', { price: '-18' })])).toEqual({})
    expect(priceIn([line('Business Plus', { qty: '1' })])).toEqual({})
    expect(priceIn([line('Business Plus', { platform: 'office-suite' })])).toEqual({})
    expect(
      priceIn([line('Business Plus', { qty: '1' })], [asset('a', 'Business Plus', { purchased: 1 })]),
    ).toEqual({
      a: '18',
    })
  })
  it('prefers whole months over part of a month', () => {
    const part = line('Business Plus', { price: '9', periodStart: '2026-10-16' })
    expect(priceIn([part, line('Business Plus')])).toEqual({ a: '18' })
    expect(lastPricesOf([asset('a', 'Business Plus')], [part]).get('a')).toMatchObject({
      price: '9',
      months: null,
    })
  })
})
