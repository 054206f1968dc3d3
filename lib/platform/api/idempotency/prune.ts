import 'server-only'
import { and, eq, exists, isNull, not, type SQL, sql } from 'drizzle-orm'
import type { Caller, CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { idempotencyKeys } from '#lib/platform/db/schema/history.ts'
import { licenseChanges } from '#lib/platform/db/schema/license-changes.ts'

const KEPT = sql`interval '24 hours'`

/**
 * Removes the customer's keys that were kept for their time. Once a day is enough, for a request looks after its own.
 * @returns how many
 */
export async function pruneKeys(tx: Transaction, customerId: CustomerId): Promise<number> {
  const { rowCount } = await tx
    .delete(idempotencyKeys)
    .where(and(eq(idempotencyKeys.customerId, customerId), isOver(tx, { customerId })))
  return rowCount ?? 0
}

/** In a statement on keys: whether one was kept for its time. */
export function isOver(tx: Transaction, caller: Pick<Caller, 'customerId'>): SQL | undefined {
  return and(sql`${idempotencyKeys.createdAt} < now() - ${KEPT}`, not(awaitsChange(tx, caller)))
}

/** In a statement on keys: whether the answer of one is still to come, or may have become known lately. */
function awaitsChange(tx: Transaction, { customerId }: Pick<Caller, 'customerId'>) {
  const { state, settledAt, acknowledgedAt } = licenseChanges
  const isWanted = sql`(${state} in ('CLAIMED', 'SENT', 'UNKNOWN') or (${state} = 'UNCLEAR' and ${acknowledgedAt} is null)
    or ${settledAt} > now() - ${KEPT})`
  const itsChange = tx
    .select({ id: licenseChanges.id })
    .from(licenseChanges)
    .where(
      and(
        eq(licenseChanges.customerId, customerId),
        eq(licenseChanges.id, idempotencyKeys.changeId),
        isWanted,
      ),
    )
  return and(isNull(idempotencyKeys.code), exists(itsChange)) as SQL
}
