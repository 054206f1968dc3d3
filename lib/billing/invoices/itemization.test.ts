import Big from 'big.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { minorUnit } from '#lib/platform/values/money.ts'
import { itemizationText, itemize } from './itemization.ts'

const line = (price: string | number, qty: string | number = 1, currency = 'USD') => ({
  price,
  qty,
  currency,
})
const against = (totalAmount: string | number, ...lines: ReturnType<typeof line>[]) =>
  itemize({ totalAmount, currency: 'USD' }, lines)
const textOf = (itemization: ReturnType<typeof itemize>) => itemizationText(itemization, 'USD')

describe('The lines of an invoice add up', () => {
  test('without a float', () => {
    const itemization = against(0.3, line(0.1), line(0.2))
    expect(itemization).toMatchObject({
      basis: 'unit',
      amounts: ['0.1', '0.2'],
      lineItems: '0.3',
      notItemized: '0',
    })
    expect(textOf(itemization)).toBe('')
  })

  test('if the issuer rounds each line, only the sum, or nothing', () => {
    const thirds = [line('0.334'), line('0.334'), line('0.334')]
    expect(against('0.99', ...thirds)).toMatchObject({ basis: 'unit', rounding: '0' })
    expect(against('1.00', ...thirds)).toMatchObject({ basis: 'unit', rounding: '0.01' })
    expect(against('1.002', ...thirds)).toMatchObject({ basis: 'unit', rounding: '0.012' })
    expect(textOf(against('1.00', ...thirds))).toContain('differ from the total by 0.01 USD')
    expect(against('1.01', ...thirds)).toMatchObject({ notItemized: '0.02' })
  })

  test('only if the price is the amount of the line', () => {
    const itemization = against('30', line('10', '3'), line('20', '0.5'))
    expect(itemization).toMatchObject({
      basis: 'line',
      amounts: ['10', '20'],
      lineItems: '30',
      notItemized: '0',
    })
    expect(textOf(itemization)).toBe('')
  })

  test('in both readings, and the price is per unit, as the API documentation states', () => {
    expect(against('30', line('10'), line('20')).basis).toBe('unit')
    // 2 × 2 − 2 × 2 is 0, and 2 − 2 as well.
    expect(against('0', line('2', '2'), line('-2', '2')).basis).toBe('unit')
  })
})

describe('Lines that do not add up', () => {
  test('show the missing or excess amount', () => {
    const less = against('112.34', line('100'))
    expect(less).toMatchObject({ lineItems: '100', notItemized: '12.34' })
    expect(less.basis).toBeUndefined()
    expect(textOf(less)).toContain('Not itemized: 12.34 USD.')
    expect(textOf(against('87.66', line('100')))).toContain('Not itemized: −12.34 USD.')
  })

  test('include the case of an invoice without lines', () => {
    expect(against('0').basis).toBeUndefined()
    expect(against('5', line('5', '1', 'EUR'))).toMatchObject({ notItemized: '5', foreign: 1 })
  })
})

test('A line in another currency is never added, and the result states that', () => {
  const itemization = against('5', line('5'), line('900.4', 1, 'JPY'))
  expect(itemization).toMatchObject({ basis: 'unit', amounts: ['5', '900'], lineItems: '5', foreign: 1 })
  expect(textOf(itemization)).toContain('Not counted: 1 line in another currency.')
})

test.each(['USD', 'JPY', 'KWD'])(
  'The lines and the missing amount add up to the total for any lines (%s)',
  (currency) => {
    const decimals = minorUnit(currency)
    const amount = fc
      .integer({ min: -1e9, max: 1e9 })
      .map((units) => new Big(units).div(10 ** decimals).toFixed())
    const price = fc.integer({ min: -1e9, max: 1e9 }).map((units) => new Big(units).div(1e6).toFixed())
    const qty = fc.integer({ min: -1e4, max: 1e4 }).map((units) => new Big(units).div(100).toFixed())
    const lines = fc.array(fc.record({ price, qty, currency: fc.constant(currency) }), { maxLength: 8 })
    fc.assert(
      fc.property(amount, lines, fc.boolean(), (total, items, fits) => {
        const sum = items.reduce((all, item) => all.plus(new Big(item.price).times(item.qty)), new Big(0))
        const totalAmount = fits ? sum.round(decimals, Big.roundHalfUp).toFixed() : total
        const itemization = itemize({ totalAmount, currency }, items)
        expect(new Big(itemization.lineItems).plus(itemization.notItemized).eq(totalAmount)).toBe(true)
        if (fits && items.length > 0) expect(itemization.basis).toBe('unit')
        const together = itemization.amounts.reduce(
          (all, each) => all.plus(each),
          new Big(itemization.notItemized),
        )
        expect(together.plus(itemization.rounding).eq(totalAmount)).toBe(true)
        expect(itemization.amounts.filter((each) => !new Big(each).round(decimals).eq(each))).toEqual([])
      }),
    )
  },
)

test('A total with more decimals than its currency rounds the amounts of the lines', () => {
  const invoice = { totalAmount: '10.005', currency: 'USD' }
  const itemization = itemize(invoice, [{ price: '10.005', qty: '1', currency: 'USD' }])
  expect(itemization).toMatchObject({ amounts: ['10.01'], lineItems: '10.005', rounding: '-0.005' })
  expect(itemizationText(itemization, 'USD')).toBe(
    "Each line's amount is rounded: together they differ from the total by −0.005 USD.",
  )
})

test('Lines without tax add up with the tax, and lines with tax as before', () => {
  const line = { price: '12.50', qty: '40', currency: 'EUR', taxCategory: 'S', taxRate: '19' }
  const net = itemize({ totalAmount: '595', currency: 'EUR' }, [line])
  expect(net).toMatchObject({ basis: 'unit', lineItems: '500', notItemized: '0', tax: '95' })
  expect(itemizationText(net, 'EUR')).toBe('')
  const gross = itemize({ totalAmount: '500', currency: 'EUR', taxAmount: '79.83' }, [line])
  expect(gross).toMatchObject({ basis: 'unit', lineItems: '500' })
  expect(gross).not.toHaveProperty('tax')
  expect([net.amountBasis, gross.amountBasis]).toEqual(['NET', 'GROSS'])
  expect(itemizationText(gross, 'EUR')).toBe('')
  // Neither with the tax nor without it: it is said as it always was.
  const odd = itemize({ totalAmount: '600', currency: 'EUR', taxAmount: '95' }, [line])
  expect(odd).toMatchObject({ notItemized: '100' })
  expect(odd).not.toHaveProperty('amountBasis')
})
