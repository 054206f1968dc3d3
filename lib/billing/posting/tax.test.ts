import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { Exact } from '#lib/platform/values/decimals.ts'
import { minorUnit } from '#lib/platform/values/money.ts'
import {
  fitsRate,
  isConsistent,
  lineBasisOf,
  type TaxedInvoice,
  type TaxedLine,
  type TaxGroup,
  taxOf,
} from './tax.ts'

const CURRENCIES = ['EUR', 'JPY', 'KWD'] as const
const currency = fc.constantFrom(...CURRENCIES)
const rate = fc.constantFrom('0', '5.5', '7', '10', '19', '21')
const decimal = (decimals: number) =>
  fc
    .integer({ min: -1_000_000, max: 1_000_000 })
    .map((units) => new Exact(units).div(10 ** decimals).toFixed())

const line = (lineCurrency: string): fc.Arbitrary<TaxedLine> =>
  fc.record({
    price: decimal(4),
    qty: fc.integer({ min: 0, max: 50 }).map(String),
    currency: fc.constant(lineCurrency),
    taxCategory: fc.constantFrom('S', 'Z', 'AE'),
    taxRate: rate,
  })
const sum = (amounts: readonly string[]) => amounts.reduce((all, amount) => all.plus(amount), new Exact(0))
const whole = (amount: string, lineCurrency: string) =>
  new Exact(amount).round(minorUnit(lineCurrency)).eq(amount)

describe('taxOf', () => {
  it('is undefined without any tax information', () => {
    const plain = { price: '10', qty: '1', currency: 'EUR' }
    expect(taxOf({ totalAmount: '10', currency: 'EUR' }, [plain])).toBeUndefined()
    expect(taxOf({ totalAmount: '10', currency: 'EUR', taxBreakdown: [] }, [plain])).toBeUndefined()
  })

  it('adds up lines by category and rate, and calculates each tax from its base', () => {
    const lineWith = (price: string, taxRate: string, taxCategory = 'S') => ({
      ...{ price, qty: '3', currency: 'EUR', taxRate, taxCategory },
    })
    const lines = [
      lineWith('10.01', '19'),
      lineWith('0.33', '19.00'),
      lineWith('5', '7'),
      lineWith('1', '0', 'Z'),
    ]
    expect(taxOf({ totalAmount: '55.07', currency: 'EUR' }, lines)).toEqual({
      net: '49.02',
      tax: '6.94',
      amountsFrom: 'LINE_ITEMS',
      from: 'LINE_ITEMS',
      breakdown: [
        { category: 'S', rate: '19', taxableAmount: '31.02', taxAmount: '5.89' },
        { category: 'S', rate: '7', taxableAmount: '15', taxAmount: '1.05' },
        { category: 'Z', rate: '0', taxableAmount: '3', taxAmount: '0' },
      ],
      differences: { taxable: '0', tax: '0', total: '0.89' },
    })
  })

  it('returns no breakdown if a line has no category or another currency', () => {
    const taxed = { price: '100', qty: '1', currency: 'EUR', taxCategory: 'S', taxRate: '19' }
    const { taxCategory: _, ...plain } = taxed
    const invoice = { totalAmount: '119', currency: 'EUR', taxAmount: '19' }
    expect(taxOf(invoice, [taxed, plain])).toMatchObject({ net: '100', tax: '19', breakdown: [] })
    expect(taxOf(invoice, [taxed, { ...taxed, currency: 'USD' }])?.breakdown).toHaveLength(1)
  })

  it('contains the issuer’s amounts, with their differences', () => {
    const group: TaxGroup = { category: 'S', rate: '19', taxableAmount: '100.00', taxAmount: '19.02' }
    const invoice = { totalAmount: '119.00', currency: 'EUR', netAmount: '99.99', taxAmount: '19.00' }
    const sums = taxOf({ ...invoice, taxBreakdown: [group] }, [])
    expect(sums).toEqual({
      net: '99.99',
      tax: '19',
      amountsFrom: 'ISSUER',
      breakdown: [group],
      from: 'ISSUER',
      differences: { taxable: '0.01', tax: '0.02', total: '-0.01' },
    })
    expect(sums && isConsistent(sums)).toBe(false)
  })

  test('adds up in whole minor units for any lines', () => {
    fc.assert(
      fc.property(
        currency.chain((lineCurrency) =>
          fc.tuple(fc.constant(lineCurrency), fc.array(line(lineCurrency), { minLength: 1, maxLength: 12 })),
        ),
        ([lineCurrency, lines]) => {
          // The total of an issuer who reckons as EN 16931 has it.
          const first = taxOf({ totalAmount: '0', currency: lineCurrency }, lines)
          const totalAmount = new Exact(first?.net ?? 0).plus(first?.tax ?? 0).toFixed()
          const sums = taxOf({ totalAmount, currency: lineCurrency }, lines)
          const rows = sums?.breakdown ?? []
          const [bases, taxes] = [rows.map((row) => row.taxableAmount), rows.map((row) => row.taxAmount)]
          expect([...bases, ...taxes].every((amount) => whole(amount, lineCurrency))).toBe(true)
          expect(sum(bases).plus(sum(taxes)).toFixed()).toBe(totalAmount)
          expect(sums && isConsistent(sums)).toBe(true)
        },
      ),
    )
  })

  test('adds up exactly with the differences of any issuer’s breakdown, whose amounts stay unchanged', () => {
    const group = fc.record({
      category: fc.constantFrom('S', 'E'),
      rate: fc.option(rate),
      taxableAmount: decimal(3),
      taxAmount: decimal(3),
    })
    const invoice: fc.Arbitrary<TaxedInvoice> = fc.record({
      totalAmount: decimal(3),
      currency: fc.constant('EUR'),
      netAmount: fc.option(decimal(3)),
      taxAmount: fc.option(decimal(3)),
      taxBreakdown: fc.array(group, { maxLength: 5 }),
    })
    fc.assert(
      fc.property(invoice, fc.array(line('EUR'), { maxLength: 5 }), (taxed, lines) => {
        const sums = taxOf(taxed, lines)
        if (!sums) return
        const { breakdown, differences, net, tax } = sums
        if (taxed.taxBreakdown?.length) expect(breakdown).toEqual(taxed.taxBreakdown)
        const amounts = [taxed.netAmount ?? net, taxed.taxAmount ?? tax].map((one) =>
          new Exact(one).toFixed(),
        )
        expect([net, tax]).toEqual(amounts)
        const groups = breakdown.length > 0 ? breakdown : [{ taxableAmount: net, taxAmount: tax }]
        const all = sum(groups.flatMap((row) => [row.taxableAmount, row.taxAmount]))
        const mismatch = sum([differences.taxable, differences.tax, differences.total])
        expect(all.minus(mismatch).eq(taxed.totalAmount)).toBe(true)
      }),
    )
  })
})

describe('Lines that include the tax', () => {
  const gross = (price: string, fields: Partial<TaxedLine> = {}): TaxedLine => ({
    ...{ price, qty: '1', currency: 'EUR', taxCategory: 'S', taxRate: '19' },
    ...fields,
  })
  const total = { totalAmount: '119.00', currency: 'EUR' }
  const right = [{ category: 'S', rate: '19', taxableAmount: '100', taxAmount: '19' }]

  it.each<[string, Partial<TaxedInvoice>, Partial<TaxedLine>]>([
    ['the issuer states net and tax', { netAmount: '100', taxAmount: '19' }, {}],
    ['the issuer states the tax alone', { taxAmount: '19.00' }, {}],
    ['the issuer states nothing', {}, {}],
    ['the line states its tax', {}, { taxAmount: '19' }],
    ['the line states its net amount', {}, { netAmount: '100' }],
    ['the price is that of the whole line', {}, { qty: '7' }],
    [
      'an import calculated net and tax of it before',
      { netAmount: '1', taxAmount: '2', isTaxCalculated: true },
      {},
    ],
  ])('are split into net and tax, if %s', (_, invoice, line) => {
    const sums = taxOf({ ...total, ...invoice }, [gross('119', line)])
    expect(sums).toMatchObject({ net: '100', tax: '19', breakdown: right, from: 'LINE_ITEMS' })
    expect(sums && isConsistent(sums)).toBe(true)
  })

  it('with several rates include each tax, and add up to the total', () => {
    const sums = taxOf({ ...total, totalAmount: '226.00' }, [gross('119'), gross('107', { taxRate: '7' })])
    expect(sums?.breakdown.map((row) => [row.taxableAmount, row.taxAmount])).toEqual([
      ['100', '19'],
      ['100', '7'],
    ])
    expect(sums && isConsistent(sums)).toBe(true)
  })

  it('count as net if the net amount is their sum, too', () => {
    const net = { ...total, netAmount: '119', taxAmount: '0' }
    expect(lineBasisOf(net, [gross('119', { taxRate: '0', taxCategory: 'E' })])).toMatchObject({
      isGross: false,
    })
    expect(lineBasisOf(total, [gross('119')])).toMatchObject({ isGross: true, reading: 'unit' })
    expect(lineBasisOf(total, [gross('100')])).toMatchObject({ isGross: false, reading: 'unit' })
    expect(lineBasisOf(total, [gross('110')])).toBeUndefined()
  })

  it('add up to a total with a rounded sum only, and to a total that net lines with tax equal, too', () => {
    const thirds = ['0.334', '0.334', '0.334'].map((price) => gross(price))
    expect(taxOf({ ...total, totalAmount: '1.00' }, thirds)).toMatchObject({ net: '0.84', tax: '0.16' })
    const either = [
      gross('-0.001', { qty: '31', taxRate: '21' }),
      gross('-21.5634', { qty: '10', taxRate: '0' }),
    ]
    const sums = taxOf({ ...total, totalAmount: '-215.67' }, either)
    expect(sums && isConsistent(sums)).toBe(true)
  })

  it('add up to the amounts of an issuer that rounds each line', () => {
    const lines = ['0.99', '0.99', '0.99'].map((price) => gross(price))
    const sums = taxOf({ ...total, totalAmount: '2.97', netAmount: '2.49', taxAmount: '0.48' }, lines)
    expect(sums?.breakdown).toMatchObject([{ taxableAmount: '2.49', taxAmount: '0.48' }])
  })

  test('add up to the total in any currency, like lines without the tax', () => {
    const units = fc.record({ net: fc.integer({ min: 1, max: 1e6 }), percent: fc.constantFrom(0, 7, 19, 21) })
    fc.assert(
      fc.property(
        currency,
        fc.array(units, { minLength: 1, maxLength: 8 }),
        fc.boolean(),
        (currency, parts, isGross) => {
          const unit = new Exact(10).pow(-minorUnit(currency))
          const taxes = parts.map(({ net, percent }) => new Exact(net).times(percent).div(100).round())
          const lines = parts.map(({ net, percent }, at): TaxedLine => {
            const amount = isGross ? taxes[at]?.plus(net) : net
            return gross(unit.times(amount ?? 0).toFixed(), { currency, taxRate: String(percent) })
          })
          const net = unit.times(sum(parts.map((part) => String(part.net))))
          const tax = unit.times(sum(taxes.map((one) => one.toFixed())))
          const invoice = { currency, totalAmount: net.plus(tax).toFixed() }
          const stated = { ...invoice, netAmount: net.toFixed(), taxAmount: tax.toFixed() }
          const sums = taxOf(stated, lines)
          expect([sums?.net, sums?.tax, sums && isConsistent(sums)]).toEqual([
            net.toFixed(),
            tax.toFixed(),
            true,
          ])
          if (tax.eq(0)) return
          expect(lineBasisOf(stated, lines)?.isGross).toBe(isGross)
        },
      ),
    )
  })
})

describe('fitsRate', () => {
  it.each([
    ['100', '19', '19', true],
    ['100.05', '19', '19.00', true],
    ['100.05', '19', '19.01', true],
    ['100.05', '19', '19.02', false],
    ['100', '19', '19.02', false],
    ['100', '19', '0', false],
    ['-100', '19', '-19', true],
    ['100', '0', '0', true],
  ])('%s at %s with a tax of %s: %s', (base, percent, tax, fits) => {
    expect(fitsRate(base, percent, tax, { currency: 'EUR' })).toBe(fits)
  })

  it('tolerates rounding per line, in the minor unit of the currency', () => {
    expect(fitsRate('1000', '19', '190.05', { currency: 'EUR', parts: 10 })).toBe(true)
    expect(fitsRate('1000', '19', '190.06', { currency: 'EUR', parts: 10 })).toBe(false)
    expect(fitsRate('1004', '10', '101', { currency: 'JPY' })).toBe(true)
    expect(fitsRate('1004', '10', '102', { currency: 'JPY' })).toBe(false)
  })
})
