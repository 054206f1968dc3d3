import Big from 'big.js'
import fc from 'fast-check'
import { itemize } from '#lib/billing/invoices/itemization.ts'
import { taxOf } from '#lib/billing/posting/tax.ts'
import { minorUnit } from '#lib/platform/values/money.ts'

// Generated invoices: with all the ways in which lines, tax and total can come about.

const cents = (most: number, decimals: number) =>
  fc.integer({ min: -most, max: most }).map((units) => new Big(units).div(10 ** decimals).toFixed())
const anyLine = fc.record({
  description: fc.constantFrom(
    'Business Plus',
    'Compute',
    'Storage',
    'Support, Oct 2026',
    'Support, Sep 2026',
  ),
  details: fc.constantFrom(null, '1 – 30 Sep 2026', 'Account 0925', 'Tax, 1 charge', '5 Oct – 20 Oct 2026'),
  price: cents(999_999, 4),
  qty: fc.oneof(fc.nat(40).map(String), cents(9_999, 3)),
  currency: fc.constantFrom(...Array(9).fill(undefined), 'CHF'),
})
/** An invoice of a customer's, before it has a total. */
export const anyInvoice = fc.record({
  invoiceDate: fc.constantFrom(
    '2026-09-01',
    '2026-09-30',
    '2026-10-01',
    '2026-10-31',
    '2026-11-01',
    '2026-08-31',
  ),
  platform: fc.constantFrom('workspace-suite', 'cloud-platform'),
  currency: fc.constantFrom('USD', 'USD', 'JPY', 'KWD'),
  documentState: fc.constantFrom(...Array(9).fill('issued'), 'draft', 'voided'),
  // Composition of the total, and amounts outside of it.
  basis: fc.constantFrom('unit', 'rounded', 'line', 'else'),
  lines: fc.array(anyLine, { minLength: 1, maxLength: 5 }),
  // Placement of the tax, and where it is stated; `odd` differs by a cent from lines and total.
  tax: fc.constantFrom<'none' | 'within' | 'beside' | 'odd'>(
    'none',
    'none',
    'within',
    'beside',
    'beside',
    'odd',
  ),
  statedIn: fc.subarray(['netAmount', 'taxAmount', 'breakdown', 'lines', 'taxOfLines'], { minLength: 1 }),
})

type MadeInvoice = typeof anyInvoice extends fc.Arbitrary<infer One> ? One : never
export type Made = ReturnType<typeof totalled>

/** Returns an invoice as `itemize` does. */
export function itemized({ lines, ...invoice }: Made) {
  return itemize(
    invoice,
    lines.map((line) => ({ ...line, currency: line.currency ?? invoice.currency })),
  )
}

/** Sets a total that the lines add up to in one of the ways, or one with an additional amount. */
export function totalled({ basis, tax, statedIn, ...invoice }: MadeInvoice) {
  const decimals = minorUnit(invoice.currency)
  const currencyLines = invoice.lines.filter(({ currency }) => currency === undefined)
  const amounts = currencyLines.map(({ price, qty }) =>
    basis === 'line' ? new Big(price) : new Big(price).times(qty),
  )
  const sum = amounts.reduce(
    (all, one) => all.plus(basis === 'rounded' ? one.round(decimals) : one),
    new Big(0),
  )
  const net = (basis === 'else' ? sum.plus('7.77') : sum).round(decimals)
  const isStated = (what: string) => tax !== 'none' && statedIn.includes(what)
  const lines = linesOf(invoice, isStated)
  const ofLines = taxOf(
    { totalAmount: '0', currency: invoice.currency },
    lines.map((line) => ({ ...line, currency: line.currency ?? invoice.currency })),
  )
  const amount = new Big(ofLines?.tax ?? net.times('0.19').round(decimals))
  const total = { none: net, within: net, beside: net.plus(amount), odd: net.plus(amount).plus('0.01') }[tax]
  const base = tax === 'within' ? net.minus(amount) : net
  const group = { category: 'S', rate: '19', taxableAmount: base.toFixed(), taxAmount: amount.toFixed() }
  return {
    ...invoice,
    lines,
    totalAmount: total.round(decimals).toFixed(),
    ...(isStated('netAmount') ? { netAmount: base.toFixed() } : {}),
    ...(isStated('taxAmount') ? { taxAmount: amount.toFixed() } : {}),
    ...(isStated('breakdown') ? { taxBreakdown: [group] } : {}),
  }
}

/** Returns the lines with the stated part of their tax. */
function linesOf(invoice: Pick<MadeInvoice, 'currency' | 'lines'>, isStated: (what: string) => boolean) {
  return invoice.lines.map(({ currency, ...line }, index) => {
    const rate = index % 2 === 0 ? '19' : '7.5'
    const tax = new Big(line.price).times(line.qty).times(rate).div(100).round(minorUnit(invoice.currency))
    return {
      ...line,
      ...(currency ? { currency } : {}),
      ...(isStated('lines') ? { taxCategory: 'S', taxRate: rate } : {}),
      ...(isStated('taxOfLines') && index % 3 < 2 ? { taxAmount: tax.toFixed() } : {}),
    }
  })
}
