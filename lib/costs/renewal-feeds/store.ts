import 'server-only'
import { and, eq, sql } from 'drizzle-orm'
import {
  digestOf,
  removeFromCredentialIndex,
  updateCredentialIndex,
} from '#lib/platform/caller/credentials.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { calendarFeeds } from '#lib/platform/db/schema/renewals.ts'

export type FeedRow = Pick<typeof calendarFeeds.$inferSelect, 'lastFour' | 'madeAt' | 'lastReadAt'>

/** Returns a member's link without its digest. */
export async function readFeed(
  tx: Transaction,
  customerId: CustomerId,
  memberId: string,
): Promise<FeedRow | undefined> {
  const { lastFour, madeAt, lastReadAt } = calendarFeeds
  const [row] = await tx
    .select({ lastFour, madeAt, lastReadAt })
    .from(calendarFeeds)
    .where(itsMember(customerId, memberId))
  return row
}

/** Stores a member's new link, which replaces any other one. */
export async function saveFeed(
  tx: Transaction,
  customerId: CustomerId,
  { memberId, secret }: { memberId: string; secret: string },
): Promise<void> {
  const made = { digest: digestOf(secret), lastFour: secret.slice(-4), madeAt: sql`now()`, lastReadAt: null }
  await tx
    .insert(calendarFeeds)
    .values({ customerId, memberId, ...made })
    .onConflictDoUpdate({ target: [calendarFeeds.customerId, calendarFeeds.memberId], set: made })
  await updateCredentialIndex(tx, customerId, 'calendar-feed', { digest: made.digest, id: memberId })
}

/**
 * Revokes a member's link.
 * @param lastFour identifies the link; by default any
 * @returns whether there was a link
 */
export async function removeFeed(
  tx: Transaction,
  customerId: CustomerId,
  memberId: string,
  lastFour?: string,
): Promise<boolean> {
  const meant = lastFour === undefined ? undefined : eq(calendarFeeds.lastFour, lastFour)
  const { rowCount } = await tx.delete(calendarFeeds).where(and(itsMember(customerId, memberId), meant))
  if (!rowCount) return false
  await removeFromCredentialIndex(tx, customerId, 'calendar-feed', [memberId])
  return true
}

function itsMember(customerId: CustomerId, memberId: string) {
  return and(eq(calendarFeeds.customerId, customerId), eq(calendarFeeds.memberId, memberId))
}
