import Big from 'big.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DAY_MS, dayOf, daysBetween, epochOfDay } from '#lib/platform/values/days.ts'
import { roundMoney } from '#lib/platform/values/decimals.ts'
import type { BilledPart, Cause, Days, Product } from './cause.ts'
import { causesOf } from './product.ts'

const SEPTEMBER: Days = { from: epochOfDay('2026-09-01'), to: epochOfDay('2026-09-30') }
const OCTOBER: Days = { from: epochOfDay('2026-10-01'), to: epochOfDay('2026-10-31') }

type PartInput = Partial<Omit<BilledPart, 'price' | 'qty' | 'amount' | 'tax'>> & {
  qty?: string
  amount?: string
  tax?: string
}
function part(
  days: Days,
  price: string,
  { qty = '1', amount, tax = '0', ...rest }: PartInput = {},
): BilledPart {
  const exact = new Big(price).times(qty)
  return {
    ...{ type: 'workspace-suite', description: 'Plus', details: null, currency: 'USD', lines: 1, days },
    ...{ price: new Big(price), qty: new Big(qty) },
    ...{ amount: amount === undefined ? roundMoney(exact, 'USD') : new Big(amount), tax: new Big(tax) },
    ...rest,
  }
}
const sep = (price: string, input: PartInput = {}) => part(SEPTEMBER, price, input)
const oct = (price: string, input: PartInput = {}) => part(OCTOBER, price, input)
const on = (day: string, from: number, to: number, by = 'Sam Okafor') => ({
  ...{ at: epochOfDay(day) + 36_000_000, from, to, by },
})
const product = (from: BilledPart[], to: BilledPart[], changes: ReturnType<typeof on>[] = []): Product => ({
  ...{ currency: 'USD', isLicensed: true, from, to, during: { from: SEPTEMBER, to: OCTOBER } },
  seatChanges: { changes, sure: true },
})
const usage = (from: BilledPart[], to: BilledPart[]): Product => ({
  ...product(from, to),
  isLicensed: false,
  seatChanges: undefined,
})

/** Formats a cause: `licenses 179.76 Sam Okafor 2026-10-20 12/31 wholePeriod 69.58`. */
function formatCause({ kind, effect, quantity, price, taxRate, change }: Cause): string {
  const { billed } = change ?? {}
  return [
    kind,
    effect.toFixed(2),
    quantity && `${quantity.from}→${quantity.to}`,
    price && `at ${price.from}→${price.to}`,
    taxRate && `${taxRate.from}%→${taxRate.to}%`,
    change && `${change.from}→${change.to} ${change.by} ${dayOf(change.at)}`,
    billed && `${billed.days}/${billed.ofDays} ${billed.how}`,
    billed?.daysAmount?.toFixed(2),
  ]
    .filter(Boolean)
    .join(' ')
}
const explained = (input: Product) => causesOf(input).map(formatCause)

describe('a product on two bills', () => {
  it.each<[string, Product, string[]]>([
    ['nothing', product([sep('22.47', { qty: '52' })], [oct('22.47', { qty: '52' })]), []],
    [
      'more licenses without a known change',
      product([sep('22.47', { qty: '52' })], [oct('22.47', { qty: '60' })]),
      ['licenses 179.76 52→60'],
    ],
    [
      'a price',
      product([sep('22.47', { qty: '52' })], [oct('23', { qty: '52' })]),
      ['price 27.56 at 22.47→23'],
    ],
    [
      'both: the number at the price before, then the price for the new number',
      product([sep('10', { qty: '4' })], [oct('11', { qty: '6' })]),
      ['licenses 20.00 4→6', 'price 6.00 at 10→11'],
    ],
    [
      'both, where the first is no whole cent: the second has the rest',
      usage([sep('0.0331', { qty: '100' })], [oct('0.0349', { qty: '133' })]),
      ['usage 1.09 100→133', 'price 0.24 at 0.0331→0.0349'],
    ],
    ['a single charge', usage([sep('3412.63')], [oct('3501.1')]), ['amount 88.47']],
    ['a new product', usage([], [oct('5', { qty: '3' })]), ['new 15.00 0→3']],
    ['a removed product', usage([sep('5', { qty: '3' })], []), ['gone -15.00 3→0']],
    ['a discount', usage([sep('-100')], [oct('-80')]), ['credit 20.00']],
    [
      'a credit where there was a charge',
      usage([sep('30')], [oct('-5')]),
      ['credit -5.00', 'gone -30.00 1→0'],
    ],
    [
      'tax in a line, and a line of tax',
      usage(
        [sep('119', { tax: '19' })],
        [oct('124.95', { tax: '19.95' }), oct('7', { tax: '7', details: 'Tax, 1 charge' })],
      ),
      ['tax 7.95', 'amount 5.00'],
    ],
    [
      'another tax rate in a price with tax, rounded to cents',
      product(
        [sep('26.74', { qty: '10', taxRate: new Big(19) })],
        [oct('26.96', { qty: '10', taxRate: new Big(20) })],
      ),
      ['taxRate 2.20 19%→20%'],
    ],
    [
      'another tax rate, and more licenses at a higher price, which count at the rate of before',
      product(
        [sep('119', { qty: '4', taxRate: new Big(19) })],
        [oct('132', { qty: '6', taxRate: new Big('20') })],
      ),
      ['taxRate 6.60 19%→20%', 'licenses 238.00 4→6', 'price 71.40 at 119→130.9'],
    ],
    [
      'a price where one side knows no rate',
      product([sep('119', { qty: '2', taxRate: new Big(19) })], [oct('120', { qty: '2' })]),
      ['price 2.00 at 119→120'],
    ],
    [
      'a price that is that of its whole line',
      usage([sep('100', { qty: '4', amount: '100' })], [oct('150', { qty: '6', amount: '150' })]),
      ['usage 50.00 4→6'],
    ],
    [
      'lines of several accounts, each with its own price',
      usage(
        [sep('2', { qty: '10', details: 'Account 1' }), sep('3', { qty: '10', details: 'Account 2' })],
        [oct('2', { qty: '12', details: 'Account 1' }), oct('3', { qty: '15', details: 'Account 2' })],
      ),
      ['usage 19.00 20→27'],
    ],
  ])('explains %s', (_, input, expected) => {
    expect(explained(input)).toEqual(expected)
  })
})

describe('a change of licenses', () => {
  const up = on('2026-10-20', 52, 60)

  it('is billed for a whole month, though 12 days are affected', () => {
    expect(explained(product([sep('22.47', { qty: '52' })], [oct('22.47', { qty: '60' })], [up]))).toEqual([
      'licenses 179.76 52→60 Sam Okafor 2026-10-20 12/31 wholePeriod 69.58',
    ])
  })

  it.each<[string, BilledPart[]]>([
    ['a number of licenses with a fraction', [oct('22.47', { qty: '55.0968' })]],
    ['a lower price', [oct('20.634166666', { qty: '60', amount: '1238.02' })]],
    [
      'a line for the days',
      [oct('22.47', { qty: '52' }), oct('8.698064516', { qty: '8', details: '20 Oct – 31 Oct 2026' })],
    ],
    [
      'a line for each part of the month',
      [oct('13.7719354', { qty: '52', amount: '716.14' }), oct('8.6980645', { qty: '60', amount: '521.88' })],
    ],
  ])('is billed by days, as %s', (_, to) => {
    const [first, ...others] = explained(product([sep('22.47', { qty: '52' })], to, [up]))
    expect(others).toEqual([])
    expect(first).toMatch(/^licenses 69\.5\d 52→60 Sam Okafor 2026-10-20 12\/31 days$/)
  })

  it('the days that the month before had not billed yet', () => {
    const november = { from: epochOfDay('2026-11-01'), to: epochOfDay('2026-11-30') }
    const input = product(
      [part(OCTOBER, '22.47', { qty: '55.0968' })],
      [part(november, '22.47', { qty: '60' })],
      [up],
    )
    expect(explained(input)).toEqual(['licenses 110.17 52→60 Sam Okafor 2026-10-20 12/31 days'])
  })

  it('is billed from the next month on', () => {
    const september = on('2026-09-11', 52, 60)
    const input = product([sep('22.47', { qty: '52' })], [oct('22.47', { qty: '60' })], [september])
    expect(explained(input)).toEqual(['licenses 179.76 52→60 Sam Okafor 2026-09-11 20/30 nextPeriod'])
  })

  it('each of several, and the price on top', () => {
    const changes = [on('2026-10-05', 50, 70, 'Mira'), on('2026-10-25', 70, 65, 'Ana')]
    const input = product([sep('10', { qty: '50' })], [oct('10.5', { qty: '65' })], changes)
    expect(explained(input)).toEqual([
      'licenses 200.00 50→70 Mira 2026-10-05 27/31 wholePeriod 174.19',
      'licenses -50.00 70→65 Ana 2026-10-25 7/31 wholePeriod -11.29',
      'price 32.50 at 10→10.5',
    ])
  })

  it('is explained down to none, and up from none', () => {
    const removed = product([sep('4.31', { qty: '20' })], [], [on('2026-10-05', 20, 0)])
    expect(explained(removed)).toEqual([
      'licenses -86.20 20→0 Sam Okafor 2026-10-05 27/31 wholePeriod -75.08',
    ])
    const added = product([], [oct('4.31', { qty: '20' })], [on('2026-10-01', 0, 20)])
    expect(explained(added)).toEqual(['licenses 86.20 0→20 Sam Okafor 2026-10-01 31/31 wholePeriod 86.20'])
  })

  it('is chosen among equal changes of two months by the billed number of licenses', () => {
    const changes = [on('2026-09-10', 50, 58, 'Mira'), on('2026-10-10', 58, 66, 'Sam')]
    const atEnd = product([sep('10', { qty: '58' })], [oct('10', { qty: '66' })], changes)
    expect(explained(atEnd)).toEqual(['licenses 80.00 58→66 Sam 2026-10-10 22/31 wholePeriod 56.77'])
    const atStart = product([sep('10', { qty: '50' })], [oct('10', { qty: '58' })], changes)
    expect(explained(atStart)).toEqual(['licenses 80.00 50→58 Mira 2026-09-10 21/30 nextPeriod'])
  })

  it('has no actor where the changes do not add up to the billed number', () => {
    const input = product([sep('22.47', { qty: '52' })], [oct('22.47', { qty: '61' })], [up])
    expect(explained(input)).toEqual(['licenses 202.23 52→61'])
  })
})

describe('whatever is billed', () => {
  const decimal = (most: number, decimals: number) =>
    fc.integer({ min: -most, max: most }).map((units) => new Big(units).div(10 ** decimals).toFixed())
  const anyPart = (days: Days) =>
    fc
      .record({
        price: decimal(99_999, 4),
        qty: fc.oneof(
          fc.nat(80).map(String),
          decimal(9_999, 3).map((text) => text.replace('-', '')),
        ),
        off: fc.constantFrom('0', '0', '0.01', '-3.5'),
        tax: fc.constantFrom('0', '0', '1.9', 'all'),
        details: fc.constantFrom(null, 'Account 1', 'Account 2', '5 Oct – 20 Oct 2026'),
        lines: fc.constantFrom(1, 1, 4),
        isSeveral: fc.boolean(),
        taxRate: fc.constantFrom(undefined, new Big(0), new Big(19), new Big('7.5')),
      })
      .map(({ price, qty, off, tax, isSeveral, ...rest }) => {
        const amount = roundMoney(new Big(price).times(qty), 'USD').plus(off).toFixed()
        const billed = part(days, price, { ...rest, qty, amount, tax: tax === 'all' ? amount : tax })
        return isSeveral && billed.lines > 1 ? { ...billed, price: undefined } : billed
      })
  const anyChanges = fc
    .tuple(fc.nat(60), fc.array(fc.tuple(fc.nat(60), fc.nat(60)), { maxLength: 4 }))
    .map(([start, moves]) => {
      const days = moves.map(([day]) => day).sort((a, b) => a - b)
      const levels = [start, ...moves.map(([, to]) => to)]
      return days.map((day, n) =>
        on(dayOf(SEPTEMBER.from + day * DAY_MS), levels[n] ?? 0, levels[n + 1] ?? 0),
      )
    })
  const anyProduct = fc
    .tuple(
      fc.array(anyPart(SEPTEMBER), { maxLength: 4 }),
      fc.array(anyPart(OCTOBER), { maxLength: 4 }),
      anyChanges,
      fc.boolean(),
    )
    .map(([from, to, changes, isLicensed]) => ({ ...product(from, to, changes), isLicensed }))
  const total = (parts: readonly BilledPart[]) =>
    parts.reduce((sum, { amount }) => sum.plus(amount), new Big(0))
  const sum = (causes: readonly Cause[]) => causes.reduce((all, { effect }) => all.plus(effect), new Big(0))

  it('a price of 0 with an amount of one minor unit is explained without a division by it', () => {
    const from = [sep('0', { qty: '3', amount: '0.01' })]
    const causes = causesOf(product(from, [oct('1', { qty: '3' })], [on('2026-10-12', 3, 4)]))
    expect(sum(causes).toFixed()).toBe('2.99')
  })

  it('causes add up to the difference to the last decimal, and each has an effect', () => {
    fc.assert(
      fc.property(anyProduct, (input) => {
        const causes = causesOf(input)
        expect(sum(causes).toFixed()).toBe(total(input.to).minus(total(input.from)).toFixed())
        expect(causes.filter(({ effect }) => effect.eq(0))).toEqual([])
      }),
      { numRuns: 2000 },
    )
  })

  it('lines of one price and of several prices match the same way in any order', () => {
    const before = [sep('0', { qty: '0' })]
    const after = [
      oct('0.0001', { amount: '0' }),
      { ...oct('1', { amount: '0.01', lines: 4 }), price: undefined },
    ]
    expect(explained(usage(before, after.toReversed()))).toEqual(explained(usage(before, after)))
  })

  it('the same parts in another order have the same causes', () => {
    fc.assert(
      fc.property(anyProduct, (input) => {
        const turned = { ...input, from: input.from.toReversed(), to: input.to.toReversed() }
        expect(explained(turned).sort()).toEqual(explained(input).sort())
      }),
    )
  })

  it('licenses carry the changes that caused them, however they are billed', () => {
    const price = fc.integer({ min: 100, max: 99_999 }).map((cents) => new Big(cents).div(100).toFixed())
    const models = {
      wholePeriod: (day: number, { to }: Days) => (day <= to ? 1 : 0),
      nextPeriod: (day: number, { from }: Days) => (day < from ? 1 : 0),
      days: (day: number, { from, to }: Days) =>
        Math.min(1, Math.max(0, (daysBetween(day, to) + 1) / (daysBetween(from, to) + 1))),
    }
    const partInput = fc.record({
      price,
      start: fc.nat(500),
      offset: fc.integer({ min: 0, max: 60 }),
      step: fc.integer({ min: 1, max: 90 }),
      how: fc.constantFrom(...(['wholePeriod', 'nextPeriod', 'days'] as const)),
    })
    fc.assert(
      fc.property(partInput, ({ price: one, start, offset, step, how }) => {
        const day = SEPTEMBER.from + offset * DAY_MS
        const billed = (days: Days) =>
          new Big(models[how](day, days)).times(step).plus(start).round(4).toFixed()
        const [qtyBefore, qtyAfter] = [billed(SEPTEMBER), billed(OCTOBER)]
        const input = product(
          [sep(one, { qty: qtyBefore })],
          [oct(one, { qty: qtyAfter })],
          [on(dayOf(day), start, start + step)],
        )
        const causes = causesOf(input)
        expect(causes.every(({ change }) => change?.by === 'Sam Okafor')).toBe(true)
        expect(causes.length).toBe(qtyBefore === qtyAfter ? 0 : 1)
      }),
    )
  })
})
