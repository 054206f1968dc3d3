import 'server-only'
import { and, eq } from 'drizzle-orm'
import { visibleTo } from '#lib/billing/invoices/selection.ts'
import { findKey } from '#lib/billing/invoices/wire-ids.ts'
import { checkPermission } from '#lib/platform/api/operation.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { invoices } from '#lib/platform/db/schema/invoices/invoices.ts'
import { parties } from '#lib/platform/db/schema/invoices/parties.ts'
import { readScope } from '#lib/platform/db/scope.ts'
import { type Party, partyOf } from './rules.ts'

/**
 * Returns the addressee of an invoice, as stored when the invoice arrived; undefined where the caller can't see the
 * invoice.
 */
export async function recipientOf(caller: Caller, invoiceId: string): Promise<Party | undefined> {
  checkPermission(caller, 'invoice-viewer')
  const own = and(eq(parties.customerId, caller.customerId), eq(parties.id, invoices.buyerId))
  const [row] = await readScope(caller, async (tx) => {
    const key = await findKey(tx, caller, invoiceId)
    if (key === undefined) return []
    return tx
      .select({ content: parties.content })
      .from(invoices)
      .innerJoin(parties, own)
      .where(and(...visibleTo(caller), eq(invoices.id, key)))
  })
  return row && partyOf(row.content)
}
