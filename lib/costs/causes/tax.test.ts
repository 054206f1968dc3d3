import Big from 'big.js'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { type TestDatabase, testDatabase } from '#lib/platform/db/test-database.ts'
import { isTaxLine, TAX_NAME, taxCauses } from './tax.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.close())

const TAXES = [
  ...['VAT', 'vat 19 %', 'VAT 19%', 'VAT (8.875 %)', 'VAT: 20 %', '19 % MwSt.', '7,7 % MwSt', 'GST/HST'],
  ...['Tax', 'Taxes', 'Sales tax 8.25 % for Texas', 'Tax on usage of October', 'TVA 20 %', 'Value-added tax'],
]
const OTHERS = [
  ...['Tax advisory suite', 'VATman licenses', 'Business Plus', 'Vat storage 5 TB', 'Taxi', 'Ivanti', ''],
  ...['Pre-tax analytics', 'Sales tax calculator seats', 'GSTools', 'Tax 2026 edition'],
]

test('a line that names a tax is tax, and a product with such letters is none; SQL reads them alike', async () => {
  const { rows } = {
    rows: await database.sql('none', 'SELECT one, one ~* $2 AS is FROM unnest($1::text[]) AS one', [
      [...TAXES, ...OTHERS],
      TAX_NAME,
    ]),
  }
  const bySql = new Map(rows.map(({ one, is }) => [one, is]))
  for (const [names, is] of [
    [TAXES, true],
    [OTHERS, false],
  ] as const)
    for (const description of names)
      expect([description, isTaxLine({ details: null, description }), bySql.get(description)]).toEqual([
        ...[description, is, is],
      ])
})

it('of what an issuer calls tax is tax, whatever its name', () => {
  const line = { details: null, description: 'Levy' }
  expect([
    isTaxLine({ ...line, chargeCategory: 'Tax' }),
    isTaxLine({ ...line, details: 'Tax, 2 charges' }),
  ]).toEqual([true, true])
  expect(isTaxLine({ ...line, chargeCategory: 'Usage', details: 'Taxable' })).toBe(false)
})

describe('taxCauses', () => {
  const bill = (base: string, tax: string, ...rates: string[]) => ({
    ...{ base: new Big(base), tax: new Big(tax), roundings: 1 },
    ...(rates.length > 0 ? { rates: rates.map((rate) => new Big(rate)) } : {}),
  })
  const describeCauses = (from: ReturnType<typeof bill>, to: ReturnType<typeof bill>) =>
    taxCauses(from, to, 'EUR')
      .filter(({ effect }) => !effect.eq(0))
      .map(({ kind, effect, taxRate }) =>
        [kind, effect.toFixed(2), taxRate?.from.toFixed(), taxRate?.to.toFixed()].filter(Boolean).join(' '),
      )

  it.each<[string, ReturnType<typeof bill>, ReturnType<typeof bill>, string[]]>([
    ['another rate', bill('100', '19'), bill('100', '20'), ['taxRate 1.00 19 20']],
    ['rate and base', bill('100', '19'), bill('200', '40'), ['taxRate 2.00 19 20', 'tax 19.00']],
    [
      'a rate that is stated with more digits',
      bill('1000', '88.75', '8.875'),
      bill('1000', '90', '9'),
      ['taxRate 1.25 8.875 9'],
    ],
    ['rounding alone', bill('1.00', '0.19'), bill('1.05', '0.20'), ['tax 0.01']],
    ['several rates on a bill', bill('100', '13', '7', '19'), bill('100', '14', '7', '20'), ['tax 1.00']],
    ['a mixture that comes to no rate', bill('1000', '137.77'), bill('1000', '141.13'), ['tax 3.36']],
    ['a tax that is new', bill('0', '0'), bill('100', '19'), ['tax 19.00']],
  ])('tells %s', (_, from, to, expected) => {
    expect(describeCauses(from, to)).toEqual(expected)
  })
})
