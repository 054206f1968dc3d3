import type { StoredFile } from '#lib/billing/invoice-files/store.ts'
import { serializeInvoiceWithLines } from '#lib/billing/invoices/serialize.ts'
import type { InvoiceRow, LineItemRow } from '#lib/billing/invoices/store.ts'
import type { InvoicePaymentRow } from '#lib/billing/payments/read.ts'

/** A row as pg returns it. */
type Row = Record<string, string>

/**
 * Returns an invoice of a list.
 * @param base the server's address
 */
export function invoiceOf(row: Row, base: string) {
  return {
    id: row.id,
    number: row.number,
    issuer: row.issuer,
    documentState: row.document_state,
    billingProfileId: row.billing_profile_id,
    invoiceDate: Date.parse(`${row.invoice_date}`),
    platform: row.platform,
    dueDate: Date.parse(`${row.due_date}`),
    status: statusOf(row),
    totalAmount: Number(row.total_amount),
    balanceAmount: Number(row.balance_amount),
    currency: row.currency,
    url: `${base}/billing/v1/invoices/${encodeURIComponent(row.id ?? '')}/file`,
  }
}

function statusOf({ balance_amount, due_date, today }: Row): string {
  if (Number(balance_amount) <= 0) return 'PAID'
  return (due_date ?? '') < (today ?? '') ? 'PAST DUE' : 'OPEN'
}

type InvoiceRows = { row: Row; lines: Row[]; links: Row[]; files: Row[]; payments: Row[] }

/**
 * Returns an invoice with its lines and totals; the peer uses the API's functions for the totals, because no server
 * differs there.
 */
export function wholeInvoiceOf({ row, lines, links, files, payments }: InvoiceRows, base: string) {
  const columns = Object.fromEntries(Object.entries(row).map(([name, value]) => [camel(name), value]))
  // The seed replaces no invoice: each id on the wire is the row's key.
  const read = { ...columns, wireId: row.id }
  const partyOf = (role: string) =>
    links.filter((link) => link.role === role).map(({ id = '', number = '' }) => ({ number, id }))
  const documents = {
    corrects: partyOf('corrects')[0],
    correctedBy: partyOf('correctedBy'),
    replaces: partyOf('replaces')[0],
    replacedBy: partyOf('replacedBy')[0],
  }
  const [invoice, items] = [read as unknown as InvoiceRow, lines as unknown as LineItemRow[]]
  return serializeInvoiceWithLines(
    invoice,
    items,
    {
      links: documents,
      files: files as unknown as StoredFile[],
      payments: payments as unknown as InvoicePaymentRow[],
    },
    base,
  )
}

function camel(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
}

/** Returns an asset of a list. */
export function assetOf(
  row: { id: string; type: string; name: string; seats_purchased: number | null; created_at: Date },
  base: string,
) {
  const quantity = row.seats_purchased
  return {
    id: row.id,
    type: row.type,
    licenseQty: quantity === null ? 'N/A' : String(quantity),
    assetName: row.name,
    url: `${base}/assets?filter=type:${row.type}`,
    name: row.name,
    ...(quantity === null ? {} : { quantity }),
    createTime: row.created_at.getTime(),
  }
}
