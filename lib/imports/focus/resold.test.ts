import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { itemize } from '#lib/billing/invoices/itemization.ts'
import type { ImportError } from '#lib/imports/import-error.ts'
import { readAccounts } from '../resale/accounts.ts'
import { readPrices } from '../resale/prices.ts'
import { type FocusOptions, readFocus } from './focus.ts'
import { platformTable } from './platforms.ts'
import { cents, NOW, sourcesOf } from './test-sources.ts'

const ROW = {
  InvoiceIssuerName: 'Vendor',
  InvoiceId: 'V-1',
  BillingAccountId: 'B-1',
  SubAccountId: 'S-1',
  BillingPeriodStart: '2026-09-01',
  BillingPeriodEnd: '2026-10-01',
  BillingCurrency: 'USD',
  ProviderName: 'AWS',
  ServiceName: 'Compute',
  ChargeCategory: 'Usage',
  SkuId: 'K-1',
  PricingQuantity: '3',
  ConsumedQuantity: '7',
  ListCost: '12',
  BilledCost: '9.99',
}
type Row = Partial<typeof ROW>

const csv = (rows: Row[]) =>
  [Object.keys(ROW), ...rows.map((row) => Object.values({ ...ROW, ...row }))]
    .map((cells) => `${cells.join(',')}\n`)
    .join('')

async function* textOf(text: string) {
  yield text
}
const map = (rows: string) => readAccounts(textOf(`account,customer,billingProfile\n${rows}`), 'accounts.csv')
const rules = (rows: string, header = 'customer,platform,sku,rule\n') =>
  readPrices(textOf(header + rows), 'rules.csv')

function read(rows: Row[] | Record<string, string>, more: Partial<FocusOptions>) {
  const options = { platforms: platformTable(), dueDays: 30, paid: false, now: NOW, ...more }
  return readFocus(sourcesOf(Array.isArray(rows) ? csv(rows) : rows), options, async (all, summary) => ({
    invoices: [...all],
    sums: summary.sums(),
  }))
}
const resold = async (rows: Row[], text: string, more: Partial<FocusOptions> = {}) =>
  (
    await read(rows, { issuer: 'Resale', customer: 'sunbird', prices: await rules(text), ...more })
  ).invoices.map(({ invoice }) => invoice)
const importErrorOf = async (promise: Promise<unknown>) =>
  ((await promise.catch((error: unknown) => error)) as ImportError).problems

describe('with a map of accounts', () => {
  test('charges belong to their account’s owner, with one invoice per bill', async () => {
    const rows = [
      {},
      { SubAccountId: 'S-2', BilledCost: '5' },
      { SubAccountId: '', BilledCost: '1', ChargeCategory: 'Tax' },
      { SubAccountId: 'S-3', BilledCost: '2' },
      { SubAccountId: 'S-1', BilledCost: '0.01' },
    ]
    const accounts = await map('B-1,sunbird,\nS-1,heron,\nS-3,heron,emea\n')
    const { invoices, sums } = await read(rows, { accounts })
    expect(invoices).toMatchObject([
      { owner: { customer: 'heron' }, invoice: { number: 'V-1', totalAmount: '10.00', form: 'summary' } },
      {
        owner: { customer: 'heron', billingProfile: 'emea' },
        invoice: { number: 'V-1/emea', billingProfileId: 'emea', totalAmount: '2.00' },
      },
      { owner: { customer: 'sunbird' }, invoice: { number: 'V-1', totalAmount: '6.00' } },
    ])
    expect(sums.map(({ customer, rows, billedCost }) => [customer, rows, billedCost])).toEqual([
      ['heron', 3, '12'],
      ['sunbird', 2, '6'],
    ])
    expect(await read(rows, { accounts, mostInMemory: 1 })).toEqual({ invoices, sums })
  })

  test('an account that it lacks is refused by name, the heaviest first', async () => {
    const accounts = await map('S-1,heron,\n')
    const rows = [
      {},
      { SubAccountId: '', BilledCost: '4' },
      { SubAccountId: 'S-2', BilledCost: '5' },
      { SubAccountId: 'S-2', BilledCost: '0.5', BillingCurrency: 'EUR', InvoiceId: '' },
    ]
    expect(await importErrorOf(read(rows, { accounts }))).toEqual([
      {
        subject: 'sub-account S-2 of account B-1',
        reason: 'is not in the account map (2 charges, 5 USD, 0.5 EUR)',
      },
      { subject: 'account B-1', reason: 'is not in the account map (1 charge, 4 USD)' },
    ])
    const many = Array.from({ length: 25 }, (_, index) => ({ SubAccountId: `S-${index + 10}` }))
    const problems = await importErrorOf(read(many, { accounts, mostInMemory: 1 }))
    expect(problems).toHaveLength(21)
    expect(problems[20]).toEqual({ reason: 'and 5 more' })
  })

  test('unnumbered bills keep the numbers from without a map, so that none is owed twice', async () => {
    const row = { InvoiceId: '' }
    const { invoices: plain } = await read([row], {})
    const { invoices } = await read([row], { accounts: await map('B-1,sunbird,\n') })
    expect(invoices[0]?.invoice).toEqual(plain[0]?.invoice)
    // Numbers that the reseller assigns are separate per customer; without a map, the customer is passed in.
    const issued = { issuer: 'Resale', atCost: true }
    const { invoices: one } = await read([row], { ...issued, accounts: await map('B-1,sunbird,\n') })
    const { invoices: same } = await read([row], { ...issued, customer: 'sunbird' })
    const { invoices: other } = await read([row], { ...issued, customer: 'heron' })
    expect(one[0]?.invoice).toEqual(same[0]?.invoice)
    expect(other[0]?.invoice.number).not.toBe(same[0]?.invoice.number)
  })

  test('300 customers get amounts equal to independent sums, with prices, in parts and in any order', async () => {
    const accounts = await map(
      Array.from({ length: 900 }, (_, index) => `S-${index},customer-${index % 300},\n`).join(''),
    )
    const prices = await rules(',,,+8%\n,,K-1,-3.5%\n')
    const charge = fc.record({
      sub: fc.nat(899),
      units: fc.integer({ min: -(10 ** 7), max: 10 ** 7 }),
      sku: fc.nat(2),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(charge, { minLength: 900, maxLength: 1500 }),
        fc.nat(),
        async (charges, cut) => {
          const row = ({ sub, units, sku }: (typeof charges)[number]) => ({
            SubAccountId: `S-${sub}`,
            SkuId: `K-${sku}`,
            BilledCost: `${units}e-4`,
          })
          const at = cut % charges.length
          const parts = { b: csv(charges.slice(at).map(row)), a: csv(charges.slice(0, at).map(row)) }
          // Costs have four decimals and factors three, so that whole numbers of 1e-7 hold each price.
          const sums = new Map<string, bigint>()
          for (const { sub, units, sku } of charges) {
            const key = `customer-${sub % 300}`
            sums.set(key, (sums.get(key) ?? 0n) + BigInt(units) * (sku === 1 ? 965n : 1080n))
          }
          const { invoices } = await read(parts, { accounts, prices, issuer: 'Resale', mostInMemory: 500 })
          const totals = invoices.map(
            ({ owner, invoice }) => [owner?.customer ?? '', invoice.totalAmount] as const,
          )
          expect(new Map(totals)).toEqual(new Map([...sums].map(([key, sum]) => [key, cents(sum, 7)])))
          expect(totals).toHaveLength(sums.size)
        },
      ),
      { numRuns: 5 },
    )
  })
})

describe('a reseller in the place of the vendor', () => {
  test('issues invoices of its own, and drops the vendor’s numbers', async () => {
    const { invoices } = await read([{}, { InvoiceId: 'V-2' }], { issuer: 'Resale', atCost: true })
    expect(invoices).toMatchObject([
      {
        invoice: {
          issuer: 'Resale',
          number: expect.stringMatching(/^2026-09-[0-9a-f]{8}$/),
          isNumbered: false,
          form: 'invoice',
          documentState: 'issued',
          totalAmount: '19.98',
        },
      },
    ])
    const now = new Date('2026-09-20')
    expect((await read([{}], { issuer: 'Resale', atCost: true, now })).invoices).toMatchObject([
      { invoice: { documentState: 'draft', form: 'invoice' } },
    ])
  })

  test('requires prices, or the option to bill at cost', async () => {
    const prices = await rules(',,,+8%\n')
    for (const terms of [
      { issuer: 'Resale' },
      { prices },
      { atCost: true },
      { issuer: 'R', prices, atCost: true },
    ])
      expect(await importErrorOf(read([{}], terms))).toMatchObject([{ reason: expect.stringMatching(/^--/) }])
  })

  test('has a line per rule, which shows the price and never the cost', async () => {
    const rows = [
      {},
      { SkuId: 'K-2', BilledCost: '0.01' },
      { SkuId: 'K-3', ListCost: '77.005' },
      { ChargeCategory: 'Tax', BilledCost: '2' },
    ]
    const [invoice] = await resold(rows, ',,,+8%\n,,K-3,ListCost\n')
    expect(invoice?.totalAmount).toBe('89.97')
    expect(
      invoice?.lines.map(({ description, price, qty, details, priced }) => [
        description,
        price,
        qty,
        details,
        priced,
      ]),
    ).toEqual([
      ['Compute', '77.01', '1', 'Usage, 1 charge', { rule: 'ListCost', billedCost: '9.99' }],
      ['Compute', '10.80', '1', 'Usage, 2 charges', { rule: '+8 %', billedCost: '10' }],
      ['Compute', '2.16', '1', 'Tax, 1 charge', { rule: '+8 %', billedCost: '2' }],
    ])
    const text = JSON.stringify({ ...invoice, lines: invoice?.lines.map(({ priced: _, ...line }) => line) })
    expect(text).not.toContain('9.99')
  })

  test('bills a fixed price by its quantity, a line per SKU, to the last digit', async () => {
    const rows = [
      { PricingQuantity: '1.5' },
      { PricingQuantity: '', ConsumedQuantity: '0.333' },
      { SkuId: 'K-2', PricingQuantity: '2' },
    ]
    for (const mostInMemory of [1, 1000]) {
      const [invoice] = await resold(rows, ',,,4.50\n', { mostInMemory })
      expect(invoice?.lines).toMatchObject([
        { price: '4.5', qty: '2', details: 'Usage, 1 charge, SKU K-2' },
        {
          price: '4.5',
          qty: '1.833',
          details: 'Usage, 2 charges, SKU K-1',
          priced: { rule: '4.5 each', billedCost: '19.98' },
        },
      ])
      // 3.833 × 4.50 = 17.2485
      expect(invoice?.totalAmount).toBe('17.25')
    }
  })

  test('has lines that add up to the total, with exact and rounded amounts', async () => {
    const prices = await rules(',,,+8.125%\n,,K-1,0.0049\n,,K-2,1.005\n')
    const charge = fc.record({
      ServiceName: fc.constantFrom('Compute', 'Storage', 'Queue', 'Mail'),
      SkuId: fc.constantFrom('K-1', 'K-2', 'K-3'),
      PricingQuantity: fc.integer({ min: -20, max: 50 }).map((tenths) => `${tenths / 10}`),
      BilledCost: fc.integer({ min: -30_000, max: 90_000 }).map((units) => `${units}e-4`),
    })
    // -0.12001875 with 0.1005 and 0.0245, which are exact: half a cent with whole cents.
    const halfUnit = [
      { ServiceName: 'Compute', SkuId: 'K-3', PricingQuantity: '0', BilledCost: '-1110e-4' },
      { ServiceName: 'Compute', SkuId: 'K-2', PricingQuantity: '0.1', BilledCost: '0' },
      { ServiceName: 'Compute', SkuId: 'K-1', PricingQuantity: '5', BilledCost: '0' },
    ]
    await fc.assert(
      fc.asyncProperty(fc.array(charge, { minLength: 1, maxLength: 30 }), async (charges) => {
        const [invoice] = await resold(charges, '', { prices })
        const { currency = '', totalAmount = '', lines = [] } = invoice ?? {}
        const { basis, notItemized } = itemize(
          { totalAmount, currency },
          lines.map(({ price, qty }) => ({ price, qty, currency })),
        )
        expect([basis, notItemized]).toEqual(['unit', '0'])
      }),
      { numRuns: 300, examples: [[halfUnit]] },
    )
  })

  test.each<[string, Row, string, object]>([
    [
      'quantity',
      { PricingQuantity: '', ConsumedQuantity: 'NULL' },
      '4.50',
      { line: 2, column: 'PricingQuantity' },
    ],
    ['amount', { ListCost: '' }, 'ListCost', { line: 2, column: 'ListCost', reason: 'is empty' }],
    ['column', {}, 'x_Price', { line: 2, column: 'x_Price', reason: 'is empty' }],
  ])('lacks the %s that a rule needs: refused by line', async (_what, row, rule, problem) => {
    expect(await importErrorOf(resold([row], `,,,${rule}\n`))).toMatchObject([problem])
  })

  test('refuses charges without a rule by name, and does not bill them at cost', async () => {
    const rows = [{}, { SkuId: '', ChargeCategory: 'Tax' }, { SkuId: 'K-2' }, { SkuId: 'K-2' }]
    expect(await importErrorOf(resold(rows, ',,K-1,4.50\n'))).toEqual([
      {
        subject: 'SKU K-2 of web-services, Usage, customer sunbird',
        reason: 'no rule gives it a price (2 charges, 19.98 USD)',
      },
      {
        subject: 'Compute of web-services without SkuId, Tax, customer sunbird',
        reason: 'no rule gives it a price (1 charge, 9.99 USD)',
      },
    ])
  })

  test('applies a price without a currency to one currency only', async () => {
    const rows = [{}, { BillingCurrency: 'JPY' }]
    expect(await importErrorOf(resold(rows, ',,,4.50\n'))).toMatchObject([
      { line: 3, column: 'BillingCurrency', reason: expect.stringContaining('line 2 of rules.csv') },
    ])
    const header = 'customer,platform,sku,currency,rule\n'
    const prices = await rules(',,,USD,4.50\n,,,JPY,600\n', header)
    expect(await resold(rows, '', { prices })).toMatchObject([
      { currency: 'JPY', totalAmount: '1800' },
      { currency: 'USD', totalAmount: '13.50' },
    ])
  })

  test('has prices per customer with a map of accounts', async () => {
    const accounts = await map('S-1,heron,\nS-2,sunbird,\n')
    const rows = [{ BilledCost: '100' }, { BilledCost: '100', SubAccountId: 'S-2' }]
    const { invoices, sums } = await read(rows, {
      issuer: 'Resale',
      accounts,
      prices: await rules(',,,+8%\nheron,,,-3.5%\n'),
    })
    expect(invoices).toMatchObject([
      { owner: { customer: 'heron' }, invoice: { totalAmount: '96.50' } },
      { owner: { customer: 'sunbird' }, invoice: { totalAmount: '108.00' } },
    ])
    expect(sums).toMatchObject([
      { customer: 'heron', issuer: 'Vendor', billedCost: '100', amount: '96.5' },
      { customer: 'sunbird', issuer: 'Vendor', billedCost: '100', amount: '108' },
    ])
  })
})
