import 'server-only'
import { and, eq, isNull, sql } from 'drizzle-orm'
import { type Owner, owned, ownedOnce } from '#lib/billing/invoices/selection.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { chargeSets } from '#lib/platform/db/schema/invoices/charges.ts'
import { invoices } from '#lib/platform/db/schema/invoices/invoices.ts'
import { value } from '#lib/platform/db/statements.ts'
import type { ChargeSet, LineSum } from './reconciliation.ts'

/** Leads from an invoice to the charges that hold; what has been replaced has left its number, and them, to another. */
export const ofInvoice = (owner: Owner) =>
  and(
    eq(chargeSets.customerId, owner.customerId),
    eq(chargeSets.issuer, invoices.issuer),
    eq(chargeSets.number, invoices.number),
    isNull(chargeSets.replacedBy),
    isNull(invoices.replacedBy),
    ...owned(owner),
  )

const setOf = ownedOnce<ChargeSet[]>((tx, owner) =>
  tx
    .select({
      currency: chargeSets.currency,
      count: chargeSets.count,
      amount: chargeSets.amount,
      lines: sql<LineSum[]>`${chargeSets.lines}`,
    })
    .from(chargeSets)
    .innerJoin(invoices, ofInvoice(owner))
    .where(and(eq(chargeSets.customerId, owner.customerId), eq(invoices.id, value('id')))),
)

/** What the charges of an invoice come to, line by line; undefined where it has none, or is none of the caller's. */
export async function readChargeSet(
  tx: Transaction,
  owner: Owner,
  id: string,
): Promise<ChargeSet | undefined> {
  return (await setOf(tx, owner, { id }))[0]
}
