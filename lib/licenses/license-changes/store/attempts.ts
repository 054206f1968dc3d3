import 'server-only'
import { and, eq, isNull, sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { licenseChangeAttempts as attempts } from '#lib/platform/db/schema/license-changes.ts'
import type { WriteAnswer } from '#lib/vendors/vendor.ts'

// Each call of a change to its vendor, for operators: no customer reads of it.

export type Attempt = typeof attempts.$inferSelect

/** Writes down a call before it leaves, and who has it sent, with the change that says SENT. The asset's row is locked. */
export async function beginAttempt(
  tx: Transaction,
  customerId: CustomerId,
  { id: changeId, toQuantity: quantity, actorName }: { id: string; toQuantity: number; actorName: string },
): Promise<void> {
  // By two statements: Citus takes no subquery within an INSERT.
  const [{ number } = { number: 1 }] = await tx
    .select({ number: sql<number>`count(*)::int + 1` })
    .from(attempts)
    .where(of(customerId, changeId))
  await tx.insert(attempts).values({ customerId, changeId, quantity, actorName, number })
}

/** Writes down how the latest call ended; `tookMs` is how long it took, in milliseconds. */
export async function endAttempt(
  tx: Transaction,
  customerId: CustomerId,
  changeId: string,
  told: WriteAnswer,
  tookMs: number,
): Promise<void> {
  const { kind } = told
  const reason = 'reason' in told ? told.reason : null
  const vendorRequestId = 'vendorRequestId' in told ? (told.vendorRequestId ?? null) : null
  const latest = sql`(${tx
    .select({ number: sql`max(${attempts.number})` })
    .from(attempts)
    .where(of(customerId, changeId))})`
  await tx
    .update(attempts)
    .set({ kind, reason, vendorRequestId, tookMs: Math.round(tookMs) })
    .where(and(of(customerId, changeId), eq(attempts.number, latest), isNull(attempts.kind)))
}

/** The calls of a change, the first one first. */
export async function attemptsOf(
  tx: Transaction,
  customerId: CustomerId,
  changeId: string,
): Promise<Attempt[]> {
  return tx.select().from(attempts).where(of(customerId, changeId)).orderBy(attempts.number)
}

function of(customerId: CustomerId, changeId: string) {
  return and(eq(attempts.customerId, customerId), eq(attempts.changeId, changeId))
}
