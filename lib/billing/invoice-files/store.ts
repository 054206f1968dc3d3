import 'server-only'
import { and, eq, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import { type Owner, owned } from '#lib/billing/invoices/selection.ts'
import { type LineItemRow, readLines } from '#lib/billing/invoices/store.ts'
import { keepFile } from '#lib/billing/kept-files/store.ts'
import { partyOf } from '#lib/billing/parties/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { invoices } from '#lib/platform/db/schema/invoices/invoices.ts'
import { parties } from '#lib/platform/db/schema/invoices/parties.ts'
import type { InvoiceDocument } from './document.ts'

/** What is drawn, and which writing of its row it was read from. */
export type Drawable = { document: InvoiceDocument; lines: LineItemRow[]; version: string }

// PostgreSQL's own number of the transaction that wrote the row.
const version = sql<string>`${invoices}.xmin::text`

/** Whether the invoice is there for this owner. */
export async function isThere(tx: Transaction, owner: Owner, id: string): Promise<boolean> {
  const found = await tx
    .select({ id: invoices.id })
    .from(invoices)
    .where(and(...owned(owner), eq(invoices.id, id)))
  return found.length > 0
}

/** One invoice as its paper tells it, with its parties as they were frozen, and its lines in their order. */
export async function readDrawable(tx: Transaction, owner: Owner, id: string): Promise<Drawable | undefined> {
  const [seller, buyer] = [alias(parties, 'seller'), alias(parties, 'buyer')]
  const [found, lines] = await Promise.all([
    tx
      .select({
        document: {
          number: invoices.number,
          documentState: invoices.documentState,
          form: invoices.form,
          platform: invoices.platform,
          invoiceDate: invoices.invoiceDate,
          dueDate: invoices.dueDate,
          currency: invoices.currency,
          totalAmount: invoices.totalAmount,
          billingAccount: invoices.billingAccount,
          periodStart: invoices.periodStart,
          periodEnd: invoices.periodEnd,
          corrects: invoices.corrects,
          typeCode: invoices.typeCode,
          netAmount: invoices.netAmount,
          taxAmount: invoices.taxAmount,
          taxBreakdown: invoices.taxBreakdown,
          purchaseOrder: invoices.purchaseOrder,
          buyerReference: invoices.buyerReference,
          costCenter: invoices.costCenter,
          paymentTerms: invoices.paymentTerms,
        },
        seller: seller.content,
        buyer: buyer.content,
        version,
      })
      .from(invoices)
      .innerJoin(seller, and(eq(seller.customerId, invoices.customerId), eq(seller.id, invoices.sellerId)))
      .innerJoin(buyer, and(eq(buyer.customerId, invoices.customerId), eq(buyer.id, invoices.buyerId)))
      .where(and(...owned(owner), eq(invoices.id, id))),
    readLines(tx, owner, id),
  ])
  const [row] = found
  if (!row) return undefined
  const sides = { seller: partyOf(row.seller), buyer: partyOf(row.buyer) }
  return { document: { ...row.document, ...sides }, lines, version: row.version }
}

/**
 * Keeps what was drawn of an invoice, unless somebody else kept the same meanwhile.
 * @returns whether these bytes are what is kept from now on. False where somebody else kept theirs, or the row was written
 *   since it was read: then what was drawn may be of another content
 */
export async function keepDrawn(
  tx: Transaction,
  { customerId }: Owner,
  id: string,
  { bytes, version: read }: { bytes: Uint8Array; version: string },
): Promise<boolean> {
  const [same] = await tx
    .select({ id: invoices.id })
    .from(invoices)
    .where(and(eq(invoices.customerId, customerId), eq(invoices.id, id), eq(version, read)))
  if (!same) return false
  return keepFile(tx, customerId, { invoiceId: id, kind: 'drawn', bytes })
}
