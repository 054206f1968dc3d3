import 'server-only'
import { and, eq, sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { needDismissals } from '#lib/platform/db/schema/notifications.ts'

/** What one member has put aside. */
export type Whose = { customerId: CustomerId; memberId: string }

/** More than anybody puts aside; and what is not in it is shown. */
const MOST = 2000

const of = ({ customerId, memberId }: Whose) =>
  and(eq(needDismissals.customerId, customerId), eq(needDismissals.memberId, memberId))

/** The versions that a member has put aside, by the names of the lines; the latest ones. */
export async function listDismissals(tx: Transaction, whose: Whose): Promise<Map<string, string>> {
  const { needId, version, dismissedAt } = needDismissals
  const rows = await tx
    .select({ needId, version })
    .from(needDismissals)
    .where(of(whose))
    .orderBy(sql`${dismissedAt} desc`)
    .limit(MOST)
  return new Map(rows.map((row) => [row.needId, row.version]))
}

/** Of two at once, the later one stays. */
export async function addDismissal(
  tx: Transaction,
  whose: Whose,
  { id: needId, version }: { id: string; version: string },
): Promise<void> {
  await tx
    .insert(needDismissals)
    .values({ ...whose, needId, version })
    .onConflictDoUpdate({
      target: [needDismissals.customerId, needDismissals.memberId, needDismissals.needId],
      set: { version, dismissedAt: sql`now()` },
    })
}

export async function removeDismissal(tx: Transaction, whose: Whose, needId: string): Promise<void> {
  await tx.delete(needDismissals).where(and(of(whose), eq(needDismissals.needId, needId)))
}

/**
 * Removes what the customer's members have put aside long ago: most of it is not there any more, and what still is may be told
 * again after a year.
 * @returns how many rows
 */
export async function pruneDismissals(tx: Transaction, customerId: CustomerId): Promise<number> {
  const { rowCount } = await tx.execute(sql`
    DELETE FROM need_dismissals
    WHERE customer_id = ${customerId} AND dismissed_at < now() - interval '1 year'`)
  return rowCount ?? 0
}
