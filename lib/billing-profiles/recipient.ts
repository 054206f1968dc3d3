import 'server-only'
import { and, eq } from 'drizzle-orm'
import type { Caller } from '#lib/access/rules.ts'
import { checkPermission } from '#lib/api/operation.ts'
import { billingProfiles } from '#lib/db/schema/customers.ts'
import { invoices } from '#lib/db/schema/invoices.ts'
import { readScope } from '#lib/db/scope.ts'
import { owned } from '#lib/invoices/owned-and-selected.ts'
import type { BillingProfile } from './rules.ts'

/** Whom an invoice addresses; undefined where the caller can't see it. */
export async function recipientOf(caller: Caller, invoiceId: string): Promise<BillingProfile | undefined> {
  checkPermission(caller, 'invoice-viewer')
  const { id, name, address, taxId } = billingProfiles
  const own = and(eq(billingProfiles.customerId, caller.customerId), eq(id, invoices.billingProfileId))
  const [found] = await readScope(caller, (tx) =>
    tx
      .select({ id, name, address, taxId })
      .from(invoices)
      .innerJoin(billingProfiles, own)
      .where(and(...owned(caller), eq(invoices.id, invoiceId))),
  )
  return found
}
