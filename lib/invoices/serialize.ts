import type { Invoice, InvoiceWithLines, LineItem } from './contract.ts'
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
