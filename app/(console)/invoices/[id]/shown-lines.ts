import 'server-only'
import type { ShownLine, ShownSums } from '#components/invoices/invoice-lines.tsx'
import { formatAmount, formatDecimal, sumsOf } from '#lib/invoices/amounts.ts'
import type { InvoiceWithLines } from '#lib/invoices/contract.ts'
import { minorUnit } from '#lib/invoices/rules.ts'

/** An invoice's lines and sums as text: added up exactly, and here, so that the browser need not. */
export function shownLines(invoice: InvoiceWithLines): { rows: ShownLine[]; sums: ShownSums } {
  const { currency, lineItems } = invoice
  const sums = sumsOf(invoice, lineItems)
  const shown = (amount: string) => formatAmount(amount, currency)
  const rows = lineItems.map((line, index) => {
    const amount = formatAmount(sums.amounts[index] ?? 0, line.currency)
    return {
      description: line.description,
      details: line.Details ?? '',
      qty: formatDecimal(line.qty),
      price: formatDecimal(line.price, minorUnit(line.currency)),
      amount: line.currency === currency ? amount : `${amount} ${line.currency}`,
    }
  })
  return {
    rows,
    sums: {
      lineItems: shown(sums.lineItems),
      notItemized: sums.notItemized === undefined ? undefined : shown(sums.notItemized),
      total: shown(sums.total),
      settled: { ...sums.settled, amount: shown(sums.settled.amount) },
      balance: { ...sums.balance, amount: shown(sums.balance.amount) },
    },
  }
}
