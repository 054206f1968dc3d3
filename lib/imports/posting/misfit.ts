import { fitsRate, isConsistent, netOfLine, taxOf } from '#lib/billing/posting/tax.ts'
import type { NewInvoice } from '../shapes.ts'

/**
 * The first place of an invoice where a tax is not that of its rate, or the figures do not add up: `INV-7, lines[2]`,
 * `INV-7, taxBreakdown[0]`, `INV-7`. It is kept as its issuer has it; undefined where all fits.
 */
export function misfitOf(invoice: NewInvoice): string | undefined {
  const { number, currency, taxBreakdown } = invoice
  const lines = invoice.lines.map((line) => ({ ...line, currency }))
  const line = lines.findIndex(({ taxRate, taxAmount, ...rest }) => {
    const isTold = taxRate !== null && taxRate !== undefined && taxAmount !== null && taxAmount !== undefined
    return isTold && !fitsRate(netOfLine(rest, currency).toFixed(), taxRate, taxAmount, { currency })
  })
  if (line >= 0) return `${number}, lines[${line}]`
  const row = taxBreakdown?.findIndex(
    ({ rate, taxableAmount, taxAmount }) =>
      rate !== null && !fitsRate(taxableAmount, rate, taxAmount, { currency, parts: lines.length }),
  )
  if (row !== undefined && row >= 0) return `${number}, taxBreakdown[${row}]`
  const sums = taxOf(invoice, lines)
  return sums && !isConsistent(sums) ? number : undefined
}
