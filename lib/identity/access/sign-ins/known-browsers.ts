import 'server-only'
import { and, eq, inArray, ne, type SQL, sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { knownBrowsers, sessions } from '#lib/platform/db/schema/access/sign-ins.ts'

/**
 * From now on the member's account knows this browser.
 * @returns whether it did not before
 */
export async function knowBrowser(
  tx: Transaction,
  customerId: CustomerId,
  memberId: string,
  digest: string,
): Promise<boolean> {
  const seen = await tx
    .update(knownBrowsers)
    .set({ lastSignInAt: sql`now()` })
    .where(and(ofMember(customerId, memberId), eq(knownBrowsers.digest, digest)))
  if ((seen.rowCount ?? 0) > 0) return false
  await tx.insert(knownBrowsers).values({ customerId, memberId, digest }).onConflictDoNothing()
  return true
}

/** The member's account knows no browser any longer, but for that of the session named `keep`. */
export async function forgetBrowsers(
  tx: Transaction,
  customerId: CustomerId,
  memberId: string,
  keep: string,
): Promise<void> {
  const { browser } = sessions
  const kept = tx
    .select({ browser: sql`coalesce(${browser}, '')` })
    .from(sessions)
    .where(and(eq(sessions.customerId, customerId), eq(sessions.digest, keep)))
  await tx
    .delete(knownBrowsers)
    .where(and(ofMember(customerId, memberId), ne(knownBrowsers.digest, sql`coalesce((${kept}), '')`)))
}

/** Those of the customer's sessions of which this holds: their accounts do not know their browsers any longer. */
export async function forgetBrowsersOf(
  tx: Transaction,
  customerId: CustomerId,
  which: SQL | undefined,
): Promise<void> {
  const { memberId, browser } = sessions
  const pairs = tx
    .select({ memberId, browser })
    .from(sessions)
    .where(and(eq(sessions.customerId, customerId), which))
  await tx
    .delete(knownBrowsers)
    .where(
      and(
        eq(knownBrowsers.customerId, customerId),
        inArray(sql`(${knownBrowsers.memberId}, ${knownBrowsers.digest})`, pairs),
      ),
    )
}

function ofMember(customerId: CustomerId, memberId: string): SQL | undefined {
  return and(eq(knownBrowsers.customerId, customerId), eq(knownBrowsers.memberId, memberId))
}

/** A browser in which nobody has signed in for so long is a new one. As long as it keeps its mark. */
const KEPT = sql`interval '400 days'`

/**
 * Forgets the customer's browsers in which nobody has signed in for long.
 * @returns how many
 */
export async function pruneBrowsers(tx: Transaction, customerId: CustomerId): Promise<number> {
  const isOld = sql`${knownBrowsers.lastSignInAt} < now() - ${KEPT}`
  const { rowCount } = await tx
    .delete(knownBrowsers)
    .where(and(eq(knownBrowsers.customerId, customerId), isOld))
  return rowCount ?? 0
}
