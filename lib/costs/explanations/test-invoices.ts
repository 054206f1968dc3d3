import Big from 'big.js'
import fc from 'fast-check'
import { itemize } from '#lib/billing/invoices/itemization.ts'
import { taxOf } from '#lib/billing/posting/tax.ts'
import { minorUnit } from '#lib/platform/values/money.ts'

// Generated invoices: with all the ways in which lines, tax and total can come about.

const cents = (most: number, places: number) =>
  fc.integer({ min: -most, max: most }).map((units) => new Big(units).div(10 ** places).toFixed())
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
  // How its total comes about, and what it has beside.
  reading: fc.constantFrom('unit', 'rounded', 'line', 'else'),
  lines: fc.array(anyLine, { minLength: 1, maxLength: 5 }),
  // Where its tax stands, and who tells of it; `odd` is beside lines and total by a cent.
  tax: fc.constantFrom<'none' | 'within' | 'beside' | 'odd'>(
    'none',
    'none',
    'within',
    'beside',
    'beside',
    'odd',
  ),
  told: fc.subarray(['netAmount', 'taxAmount', 'breakdown', 'lines', 'taxOfLines'], { minLength: 1 }),
})

type Given = typeof anyInvoice extends fc.Arbitrary<infer One> ? One : never
export type Made = ReturnType<typeof totalled>

/** What `itemize` says of an invoice. */
export function itemized({ lines, ...invoice }: Made) {
  return itemize(
    invoice,
    lines.map((line) => ({ ...line, currency: line.currency ?? invoice.currency })),
  )
}

/** With a total that its lines add up to in one of the ways, or that has something beside. */
export function totalled({ reading, tax, told, ...invoice }: Given) {
  const places = minorUnit(invoice.currency)
  const own = invoice.lines.filter(({ currency }) => currency === undefined)
  const amounts = own.map(({ price, qty }) =>
    reading === 'line' ? new Big(price) : new Big(price).times(qty),
  )
  const sum = amounts.reduce(
    (all, one) => all.plus(reading === 'rounded' ? one.round(places) : one),
    new Big(0),
  )
  const net = (reading === 'else' ? sum.plus('7.77') : sum).round(places)
  const isTold = (what: string) => tax !== 'none' && told.includes(what)
  const lines = linesOf(invoice, isTold)
  const ofLines = taxOf(
    { totalAmount: '0', currency: invoice.currency },
    lines.map((line) => ({ ...line, currency: line.currency ?? invoice.currency })),
  )
  const amount = new Big(ofLines?.tax ?? net.times('0.19').round(places))
  const total = { none: net, within: net, beside: net.plus(amount), odd: net.plus(amount).plus('0.01') }[tax]
  const base = tax === 'within' ? net.minus(amount) : net
  const group = { category: 'S', rate: '19', taxableAmount: base.toFixed(), taxAmount: amount.toFixed() }
  return {
    ...invoice,
    lines,
    totalAmount: total.round(places).toFixed(),
    ...(isTold('netAmount') ? { netAmount: base.toFixed() } : {}),
    ...(isTold('taxAmount') ? { taxAmount: amount.toFixed() } : {}),
    ...(isTold('breakdown') ? { taxBreakdown: [group] } : {}),
  }
}

/** The lines with as much of their tax as is told. */
function linesOf(invoice: Pick<Given, 'currency' | 'lines'>, isTold: (what: string) => boolean) {
  return invoice.lines.map(({ currency, ...line }, index) => {
    const rate = index % 2 === 0 ? '19' : '7.5'
    const tax = new Big(line.price).times(line.qty).times(rate).div(100).round(minorUnit(invoice.currency))
    return {
      ...line,
      ...(currency ? { currency } : {}),
      ...(isTold('lines') ? { taxCategory: 'S', taxRate: rate } : {}),
      ...(isTold('taxOfLines') && index % 3 < 2 ? { taxAmount: tax.toFixed() } : {}),
    }
  })
}
