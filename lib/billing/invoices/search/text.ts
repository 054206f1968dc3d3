import 'server-only'
import { or, type SQL, sql } from 'drizzle-orm'
import { invoices } from '#lib/platform/db/schema/invoices/invoices.ts'
import { hasPart, hasStart } from '#lib/platform/lists/search.ts'

/**
 * What a search finds a part of; a purchase order may also be that of a single line. Another field is added here, and,
 * where most invoices have their own, in a migration that gives it tokens: `tokens_of_invoice`, which
 * `keep_invoice_tokens` and `backfill.ts` call.
 */
const PARTS = [invoices.number, invoices.purchaseOrder, invoices.issuer]
/** What a search finds the start of, however long it is. */
const STARTS = [invoices.id, invoices.buyerReference, invoices.costCenter]

/** The rule of what a search finds, asked of each row: the tokens only lead to rows that it may hold of. */
export function hasText(search: string): SQL | undefined {
  return or(
    ...PARTS.map((field) => hasPart(field, search)),
    ...STARTS.map((field) => hasStart(field, search)),
    sql`EXISTS (SELECT FROM unnest(${invoices.lineOrders}) AS line(own) WHERE ${hasPart(sql`line.own`, search)})`,
  )
}
