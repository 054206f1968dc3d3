import { describe, expect, test } from 'vitest'
import { type NewInvoice, NOTHING } from '../schemas.ts'
import { checkExpectations, expectationsOf } from './expectations.ts'
import { gatherInvoices, mergedReports } from './gather.ts'
import type { InvoiceReport } from './report.ts'

const invoice = (overrides: Partial<NewInvoice> = {}): NewInvoice => ({
  number: 'I-1',
  platform: 'web-services',
  issuer: 'Resale',
  invoiceDate: '2026-09-30',
  dueDate: '2026-10-30',
  currency: 'USD',
  totalAmount: '1.00',
  lines: [{ type: 'web-services', description: 'x', price: overrides.totalAmount ?? '1.00', qty: '1' }],
  ...overrides,
})

const TODAY = { today: '2026-11-22', isHistory: false }

function reportOf(invoices: NewInvoice[], options: Partial<Parameters<typeof gatherInvoices>[0]> = {}) {
  const gather = gatherInvoices({ ...TODAY, ...options })
  for (const each of invoices) {
    gather.addInvoice(each)
    gather.inspect(each, true)
  }
  return gather.report('invoices', { ...NOTHING, added: invoices.length })
}

const TAXED = { type: 'x', description: 'x', qty: '1', taxCategory: 'S', taxRate: '19' }

describe('gatherInvoices', () => {
  test('adds up per currency, issuer, account and period, to the last digit', () => {
    const account = { billingAccount: 'A', periodStart: '2026-09-01', periodEnd: '2026-10-01' }
    const gather = gatherInvoices(TODAY)
    gather.addInvoice(invoice({ ...account, totalAmount: '0.10' }), '0.1004')
    gather.addInvoice(invoice({ ...account, totalAmount: '0.20' }), '0.2000000000000000000001')
    gather.addInvoice(invoice({ ...account, totalAmount: '5', currency: 'JPY' }))
    gather.addInvoice(invoice({ ...account, periodStart: '2026-09-10' }))
    gather.addInvoice(invoice())
    const { sums, groups } = gather.report('focus', { ...NOTHING })
    expect(sums).toEqual([
      { currency: 'JPY', invoices: 1, exact: '5', invoiced: '5' },
      { currency: 'USD', invoices: 4, exact: '2.3004000000000000000001', invoiced: '2.3' },
    ])
    const resold = { issuer: 'Resale', account: 'A' }
    expect(groups).toEqual([
      {
        issuer: 'Resale',
        account: null,
        period: '2026-09',
        currency: 'USD',
        invoices: 1,
        exact: '1',
        invoiced: '1',
      },
      { ...resold, period: '2026-09', currency: 'JPY', invoices: 1, exact: '5', invoiced: '5' },
      {
        ...resold,
        period: '2026-09',
        currency: 'USD',
        invoices: 2,
        exact: '0.3004000000000000000001',
        invoiced: '0.3',
      },
      { ...resold, period: '2026-09-10/2026-09-30', currency: 'USD', invoices: 1, exact: '1', invoiced: '1' },
    ])
  })

  test('keeps the 200 largest groups of all currencies, and how many invoices are in the others', () => {
    const many = Array.from({ length: 300 }, (_, n) =>
      invoice({ billingAccount: `A-${n}`, totalAmount: `${n}`, currency: n % 10 === 0 ? 'EUR' : 'USD' }),
    )
    const { groups, invoicesElsewhere, sums } = reportOf(many)
    expect([groups.length, invoicesElsewhere]).toEqual([200, 100])
    expect(groups.filter(({ currency }) => currency === 'EUR')).toHaveLength(30)
    expect(
      Math.min(...groups.filter(({ currency }) => currency === 'USD').map((each) => +each.invoiced)),
    ).toBe(112)
    expect(sums.map(({ invoices }) => invoices)).toEqual([30, 270])
  })

  test('never reports a group in part when it exceeds the memory limit', () => {
    const many = Array.from({ length: 50 }, (_, n) => invoice({ billingAccount: `A-${n % 5}` }))
    const { groups, invoicesElsewhere, sums } = reportOf(many, { mostInMemory: 3 })
    expect(groups.map(({ account, invoices }) => [account, invoices])).toEqual([
      ['A-0', 10],
      ['A-1', 10],
      ['A-2', 10],
    ])
    expect([invoicesElsewhere, sums]).toEqual([
      20,
      [{ currency: 'USD', invoices: 50, exact: '50', invoiced: '50' }],
    ])
  })

  test.each<[string, Partial<NewInvoice>, string[]]>([
    ['nothing', {}, []],
    ['a total finer than the minor unit', { totalAmount: '1.005' }, ['finer']],
    ['a balance finer than that', { balanceAmount: '0.005' }, ['finer']],
    [
      'lines that leave something out',
      { lines: [{ type: 'x', description: 'x', price: '0.5', qty: '1' }] },
      ['unbalanced'],
    ],
    ['a negative total', { totalAmount: '-1.00' }, ['negative']],
    ['a balance above the total', { balanceAmount: '1.01' }, ['above']],
    ['a balance that is the total', { balanceAmount: '1.0' }, []],
    ['an overpayment', { balanceAmount: '-0.01' }, ['overpaid']],
    [
      'a credit note of which something is left',
      { totalAmount: '-1.00', balanceAmount: '-0.40' },
      ['negative'],
    ],
    [
      'a tax that is not that of its rate',
      {
        lines: [{ ...TAXED, price: '1', taxAmount: '1' }],
      },
      ['tax'],
    ],
    [
      'a gross line with the tax within it',
      {
        totalAmount: '119',
        balanceAmount: '0',
        netAmount: '100',
        taxAmount: '19',
        lines: [{ ...TAXED, price: '119', taxAmount: '19' }],
      },
      [],
    ],
    ['what is due long ago', { dueDate: '2026-10-22' }, ['late']],
    ['what is paid', { dueDate: '2026-10-01', balanceAmount: '0' }, []],
    ['a draft', { documentState: 'draft', dueDate: '2026-10-01' }, ['draft']],
    ['an old one', { invoiceDate: '2026-08-01', balanceAmount: '0' }, ['history']],
    ['a withdrawn currency', { currency: 'DEM' }, ['withdrawn']],
  ])('of %s it says so', (_what, change, warnings) => {
    const report = reportOf([invoice({ dueDate: '2026-12-01', ...change })])
    expect(report.oddities.map(({ what }) => what)).toEqual(warnings)
  })

  test('reports a stored invoice as late only if the file has its balance', () => {
    const gather = gatherInvoices(TODAY)
    const old = { invoiceDate: '2020-01-31', dueDate: '2020-02-28' }
    gather.inspect(invoice(old), false)
    expect(gather.report('invoices', { ...NOTHING }).oddities).toEqual([])
    gather.inspect(invoice({ ...old, balanceAmount: '1' }), false)
    expect(gather.report('invoices', { ...NOTHING }).oddities.map(({ what }) => what)).toEqual(['late'])
  })

  test('history is not reported as late or old, and examples are few', () => {
    const old = Array.from({ length: 20 }, (_, n) =>
      invoice({ number: `I-${n}`, invoiceDate: '2020-01-31', dueDate: '2020-02-28', totalAmount: '-1' }),
    )
    expect(reportOf(old, { isHistory: true }).oddities).toEqual([
      { what: 'negative', count: 20, examples: ['I-0', 'I-1', 'I-2', 'I-3', 'I-4'] },
    ])
    expect(reportOf(old).oddities.at(-1)).toEqual({ what: 'history', count: 20, examples: ['2020-01'] })
  })
})

test('the reports of two customers add up to one', () => {
  const one = reportOf([invoice(), invoice({ totalAmount: '-2' })], { customer: 'alder' })
  const other = reportOf([invoice({ totalAmount: '0.5' }), invoice({ currency: 'EUR' })], {
    customer: 'birch',
  })
  const { sums, groups, invoices, counts, oddities } = mergedReports([one, other])
  expect([invoices, counts.added]).toEqual([4, 4])
  expect(sums).toEqual([
    { currency: 'EUR', invoices: 1, exact: '1', invoiced: '1' },
    { currency: 'USD', invoices: 3, exact: '-0.5', invoiced: '-0.5' },
  ])
  expect(groups.map(({ customer, currency, invoiced }) => [customer, currency, invoiced])).toEqual([
    ['alder', 'USD', '-1'],
    ['birch', 'EUR', '1'],
    ['birch', 'USD', '0.5'],
  ])
  expect(oddities).toEqual([{ what: 'negative', count: 1, examples: ['I-1'] }])
})

describe('an expectation', () => {
  const report = reportOf([invoice({ totalAmount: '1234.56' }), invoice({ currency: 'EUR' })])
  const reasonsOf = (...texts: string[]) => {
    try {
      checkExpectations(report as InvoiceReport, expectationsOf(texts))
      return []
    } catch (error) {
      return (error as { problems: { reason: string }[] }).problems.map(({ reason }) => reason)
    }
  }

  test.each<[string[], string[]]>([
    [['USD=1234.56', 'EUR=1.000', 'invoices=2'], []],
    [['invoices=2'], []],
    [['invoices=3'], ['3 invoices are expected, and the files have 2']],
    [['USD=1234.57', 'EUR=1'], ['1,234.57 USD is expected, and the files have 1,234.56 USD']],
    [['USD=1234.56'], ['the files have 1.00 EUR, and no --expect names EUR']],
    [['USD=1234.56', 'EUR=1', 'JPY=0'], ['0 JPY is expected, and the files have no JPY']],
  ])('%j: %j', (texts, reasons) => {
    expect(reasonsOf(...texts)).toEqual(reasons)
  })

  test.each(['USD', 'usd=1', 'XXX=1', 'USD=1,5', 'USD=1=2', 'invoices=1.5', 'invoices=-1', '=1'])(
    '%s is no expectation',
    (text) => {
      expect(() => expectationsOf([text])).toThrow(`"${text}"`)
    },
  )

  test('is stated once', () => {
    expect(() => expectationsOf(['USD=1', 'USD=2'])).toThrow('USD is expected already')
    expect(() => expectationsOf(['invoices=1', 'invoices=1'])).toThrow('expected already')
  })
})
