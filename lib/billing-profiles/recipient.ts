import 'server-only'
import { and, eq } from 'drizzle-orm'
import type { Caller } from '#lib/access/rules.ts'
import { checkPermission } from '#lib/api/operation.ts'
import { invoices } from '#lib/db/schema/invoices/invoices.ts'
import { parties } from '#lib/db/schema/invoices/parties.ts'
import { readScope } from '#lib/db/scope.ts'
import { owned } from '#lib/invoices/owned-and-selected.ts'
import { type Party, partyOf } from '#lib/parties/rules.ts'

/** Whom an invoice addresses, as it stood when the invoice arrived; undefined where the caller can't see it. */
export async function recipientOf(caller: Caller, invoiceId: string): Promise<Party | undefined> {
  checkPermission(caller, 'invoice-viewer')
  const own = and(eq(parties.customerId, caller.customerId), eq(parties.id, invoices.buyerId))
  const [found] = await readScope(caller, (tx) =>
    tx
      .select({ content: parties.content })
      .from(invoices)
      .innerJoin(parties, own)
      .where(and(...owned(caller), eq(invoices.id, invoiceId))),
  )
  return found && partyOf(found.content)
}
