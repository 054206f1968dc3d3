import { describe, expect, test } from 'vitest'
import type { ImportError } from '../import-error.ts'
import { type Charge, readPrices } from './prices.ts'

async function* textOf(text: string) {
  yield text
}
const HEADER = 'customer,platform,sku,category,currency,rule\n'
const read = (rows: string, header = HEADER) => readPrices(textOf(header + rows), 'rules.csv')
const importErrorOf = async (rows: string, header?: string) =>
  ((await read(rows, header).catch((error: unknown) => error)) as ImportError).problems

const CHARGE: Charge = {
  customer: 'sunbird',
  platform: 'web-services',
  sku: 'K-1',
  category: 'Usage',
  currency: 'USD',
}

describe('price rules', () => {
  // From the most specific to the least.
  const ranking = [
    'sunbird,web-services,K-1,,,+1%',
    'sunbird,,K-1,,,+2%',
    ',web-services,K-1,,,+3%',
    ',,K-1,,,+4%',
    'sunbird,web-services,,,,+5%',
    ',web-services,,,,+6%',
    'sunbird,,,Usage,USD,+7%',
    'sunbird,,,usage,,+8%',
    'sunbird,,,,USD,+9%',
    'sunbird,,,,,+10%',
    ',,,,,+11%',
  ]
  test('apply by specificity, whatever their order in the file', async () => {
    for (const rules of [ranking, ranking.toReversed()])
      for (let left = ranking.length; left > 0; left--) {
        const remaining = rules.filter((rule) => ranking.indexOf(rule) >= ranking.length - left)
        const { ruleFor } = await read(remaining.join('\n'))
        expect(ruleFor(CHARGE)?.rule.text).toBe(`+${ranking.length - left + 1} %`)
      }
  })

  test('of another customer, platform, SKU, category or currency do not apply', async () => {
    const { ruleFor } = await read(
      'heron,,,,,+1%\n,office-suite,,,,+1%\n,,K-2,,,+1%\n,,,Tax,,+1%\n,,,,EUR,+1%',
    )
    expect(ruleFor(CHARGE)).toBeUndefined()
    expect(ruleFor({ ...CHARGE, currency: 'EUR' })).toBeDefined()
    // A charge without a SKU matches no "any" of a SKU column.
    expect(ruleFor({ ...CHARGE, sku: undefined, customer: undefined })).toBeUndefined()
  })

  test.each(['4.50', 'ListCost'])(
    'apply %s to usage and purchases only, unless they name a category',
    async (rule) => {
      const { ruleFor } = await read(`,,K-1,,,${rule}\n,,,Credit,,${rule}\n,,,,,+8%`)
      expect(ruleFor(CHARGE)?.rule.kind).not.toBe('percent')
      expect(ruleFor({ ...CHARGE, category: 'Purchase' })?.rule.kind).not.toBe('percent')
      expect(ruleFor({ ...CHARGE, category: 'Tax' })?.rule.kind).toBe('percent')
      expect(ruleFor({ ...CHARGE, category: 'Credit' })?.rule.kind).not.toBe('percent')
    },
  )

  test.each([
    ['+8%', { kind: 'percent', text: '+8 %' }, '1.08'],
    ['-3.5 %', { kind: 'percent', text: '-3.5 %' }, '0.965'],
    ['+0%', { kind: 'percent', text: '+0 %' }, '1'],
    ['-100%', { kind: 'percent', text: '-100 %' }, '0'],
    ['4.50', { kind: 'fixed', text: '4.5 each' }, '4.5'],
    ['listcost', { kind: 'column', column: 'ListCost', text: 'ListCost' }, undefined],
    ['x_Price', { kind: 'column', column: 'x_Price', text: 'x_Price' }, undefined],
  ])('%s is a rule', async (text, rule, number) => {
    const match = (await read(`,,,,,${text}`)).ruleFor(CHARGE)?.rule
    expect(match).toMatchObject(rule)
    const exact =
      match && (match.kind === 'percent' ? match.factor : match.kind === 'fixed' ? match.price : undefined)
    expect(exact?.toFixed()).toBe(number)
  })

  test.each([
    ['8%', 'no per cent with its sign'],
    ['+x%', 'no per cent with its sign'],
    ['-101%', 'takes off more than all'],
    ['-4.50', 'is no rule'],
    ['+4.50', 'is no rule'],
    ['ListUnitPrice', 'is no rule'],
    ['PricingCurrencyEffectiveCost', 'is no rule'],
    ['"4,50"', 'is not a number (write 1234.5'],
    ['', 'has no rule'],
  ])('reject %s', async (text, reason) => {
    expect(await importErrorOf(`,,,,,${text}`)).toEqual([
      { file: 'rules.csv', line: 2, reason: expect.stringContaining(reason) },
    ])
  })

  test.each([
    [
      'two that are equally specific',
      ',,K-1,,,+1%\n,,K-2,,,+1%\n,,K-1,,,4.50',
      { line: 4, reason: 'is as specific as line 2' },
    ],
    ['no platform', ',Web Services,,,,+1%', { line: 2, reason: expect.stringContaining('"Web Services"') }],
    ['no currency', ',,,,ABC,+1%', { line: 2, reason: expect.stringContaining('no currency of ISO 4217') }],
  ])('are refused with %s', async (_what, rows, problem) => {
    expect(await importErrorOf(rows)).toEqual([{ file: 'rules.csv', ...problem }])
  })

  test('require their columns, so that a misspelled one does not widen a rule', async () => {
    expect(await importErrorOf('', 'costumer,platform,sku,rule\n')).toMatchObject([
      { column: 'customer', reason: 'there is no such column' },
      { reason: expect.stringContaining('"costumer"') },
    ])
  })

  test('return the customers that they name', async () => {
    const { customers } = await read('heron,,,,,+1%\n,,,,,+2%\nsunbird,,,,,+1%\nheron,,K-1,,,+1%')
    expect(customers()).toEqual([
      { customer: 'heron', line: 2 },
      { customer: 'sunbird', line: 4 },
    ])
  })
})
