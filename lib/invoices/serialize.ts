import type { ComparedInvoices } from './compared.ts'
import type { Change } from './comparison.ts'
import type { Invoice, InvoiceChange, InvoiceComparison, InvoiceWithLines, LineItem } from './contract.ts'
import type { Part } from './line-match.ts'
import { epochOfDay, statusOf } from './rules.ts'
import type { InvoiceRow, LineItemRow } from './store.ts'

// The one edge where exact decimals become JSON numbers (CONTRACT 3).
const numberOf = Number

export function serializeInvoice(row: InvoiceRow): Invoice {
  return {
    id: row.id,
    invoiceDate: epochOfDay(row.invoiceDate),
    platform: row.platform,
    dueDate: epochOfDay(row.dueDate),
    status: statusOf(row.balanceAmount, row.dueDate, row.today),
    totalAmount: numberOf(row.totalAmount),
    balanceAmount: numberOf(row.balanceAmount),
    currency: row.currency,
    url: `/billing/v1/invoices/${encodeURIComponent(row.id)}/file`,
  }
}

export function serializeInvoiceWithLines(row: InvoiceRow, lines: LineItemRow[]): InvoiceWithLines {
  return { ...serializeInvoice(row), lineItems: lines.map(serializeLineItem) }
}

function serializeLineItem(row: LineItemRow): LineItem {
  return {
    type: row.type,
    description: row.description,
    price: numberOf(row.price),
    qty: numberOf(row.qty),
    currency: row.currency,
    ...(row.details === null ? {} : { Details: row.details }),
  }
}

export function serializeComparison({ from, to, comparison }: ComparedInvoices): InvoiceComparison {
  const difference = (of: keyof typeof comparison.effect) => ({
    fromAmount: numberOf(comparison.from[of]),
    toAmount: numberOf(comparison.to[of]),
    effectAmount: numberOf(comparison.effect[of]),
  })
  return {
    from: serializeInvoice(from),
    to: serializeInvoice(to),
    lineItems: difference('lineItems'),
    rounding: difference('rounding'),
    notItemized: difference('notItemized'),
    total: difference('total'),
    changes: comparison.changes.map(serializeChange),
    unchanged: comparison.unchanged.map(serializeChange),
  }
}

function serializeChange({ kind, reasons, currency, effect, from, to }: Change): InvoiceChange {
  return {
    change: kind,
    reasons,
    type: (to ?? from)?.type ?? '',
    currency,
    effectAmount: numberOf(effect),
    ...(from ? { from: serializePart(from) } : {}),
    ...(to ? { to: serializePart(to) } : {}),
  }
}

function serializePart(part: Part) {
  return {
    description: part.description,
    ...(part.details === null ? {} : { Details: part.details }),
    qty: numberOf(part.qty),
    ...(part.price ? { price: numberOf(part.price) } : {}),
    amount: numberOf(part.amount),
    lineCount: part.lines,
  }
}
