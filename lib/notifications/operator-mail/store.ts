import 'server-only'
import { and, eq, inArray, sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { licenseChanges } from '#lib/platform/db/schema/license-changes.ts'

const { customerId: customer, id, operatorToldAt } = licenseChanges

/** What is to be told again is told together, early in the day; not what was told less than a day before, or nearly. */
const SIX_TODAY = sql`date_trunc('day', now() - interval '6 hours') + interval '6 hours'`
const IS_DUE = sql`(${operatorToldAt} is null or ${operatorToldAt} < least(now() - interval '20 hours', ${SIX_TODAY}))`

/**
 * Takes on those of some changes of which operators are to be told now, before they are: of two processes that find the
 * same ones, one has each.
 * @returns their ids
 */
export async function claimChanges(
  tx: Transaction,
  customerId: CustomerId,
  ids: readonly string[],
): Promise<string[]> {
  const rows = await tx
    .update(licenseChanges)
    .set({ operatorToldAt: sql`now()` })
    .where(and(own(customerId, ids), IS_DUE))
    .returning({ id })
  return rows.map((row) => row.id)
}

/** Gives changes back of which surely nobody was told. */
export async function giveBack(
  tx: Transaction,
  customerId: CustomerId,
  ids: readonly string[],
): Promise<void> {
  await tx.update(licenseChanges).set({ operatorToldAt: null }).where(own(customerId, ids))
}

/** What is settled meanwhile is history, and left as it is. */
function own(customerId: CustomerId, ids: readonly string[]) {
  const isUnsettled = sql`${licenseChanges.state} in ('CLAIMED', 'SENT', 'UNKNOWN', 'UNCLEAR')`
  return and(eq(customer, customerId), inArray(id, [...ids]), isUnsettled)
}
