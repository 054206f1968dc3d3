import { describe, expect, test } from 'vitest'
import { describeLine, differencesText, taxLabel } from './format.ts'

describe('the posting text of a line', () => {
  test('has a part for each known value', () => {
    const line = {
      periodStart: '2026-09-01',
      periodEnd: '2026-10-01',
      subAccount: 'berlin',
      costCenter: '4711',
    }
    const parts = ['1 Sep 2026 – 30 Sep 2026', 'Sub-account berlin', 'Cost center 4711']
    expect(describeLine(line, 'EUR')).toEqual(parts)
    const onTheWire = { ...line, periodStart: Date.UTC(2026, 8, 1), periodEnd: Date.UTC(2026, 9, 1) }
    expect(describeLine(onTheWire, 'EUR')).toEqual(parts)
    expect(describeLine({ taxRate: 19, taxAmount: 95, netAmount: 500 }, 'EUR')).toEqual([
      'Net 500.00',
      'Tax 19 % 95.00',
    ])
    expect(describeLine(line, 'EUR', { ...line, costCenter: '4712' })).toEqual(parts.slice(1))
    expect(describeLine({ netAmount: '500.00' }, 'EUR', {}, 500)).toEqual([])
    expect(describeLine({ subAccount: null, taxRate: null }, 'EUR')).toEqual([])
  })

  test.each([
    ['S', '19', 'Tax 19 %'],
    ['AE', '0', 'Tax: reverse charge'],
    ['O', null, 'Tax: outside the scope of tax'],
    [null, '0', 'Tax 0 %'],
    [null, null, 'Tax'],
  ])('names the tax of %s at %s', (category, rate, label) => {
    expect(taxLabel(category, rate)).toBe(label)
  })
})

test('differences are told with their money and direction, and none is told', () => {
  expect(differencesText({ taxable: '0', tax: 0, total: '0' }, 'EUR')).toBeUndefined()
  const ours = { amountsFrom: 'ISSUER', from: 'LINE_ITEMS' } as const
  expect(differencesText({ taxable: '0.01', tax: 0, total: '0.03' }, 'EUR', ours)).toBe(
    'The figures of the tax are told as the issuer has them, and do not add up: net and tax together are 0.03 EUR above the total. The tax by rate is calculated from the line items, because the issuer does not state it, and differs: the taxable amounts are 0.01 EUR above the net amount.',
  )
  expect(differencesText({ taxable: '0.01', tax: '-0.02', total: 0 }, 'EUR')).toBe(
    'The figures of the tax are told as the issuer has them, and do not add up: the taxable amounts are 0.01 EUR above the net amount; the tax of the breakdown is 0.02 EUR below the tax amount.',
  )
})
