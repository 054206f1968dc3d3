import 'server-only'
import { or, type SQL } from 'drizzle-orm'
import { invoices } from '#lib/db/schema/invoices/invoices.ts'
import { hasPart, hasStart } from '#lib/lists/search.ts'

/**
 * What a search finds a part of: another field, such as a purchase order, is added here. A field of which most invoices
 * have their own has tokens, too: `tokens_of_invoice`, which `keep_invoice_tokens` and `backfill.ts` call.
 */
const PARTS = [invoices.number, invoices.issuer]
/** What a search finds the start of, however long it is. */
const STARTS = [invoices.id]

/** The rule of what a search finds, asked of each row: the tokens only lead to rows that it may hold of. */
export function hasText(search: string): SQL | undefined {
  return or(
    ...PARTS.map((field) => hasPart(field, search)),
    ...STARTS.map((field) => hasStart(field, search)),
  )
}
