import 'server-only'
import { and, eq } from 'drizzle-orm'
import type { LicensedRow } from '#lib/licenses/assets/store.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { assets } from '#lib/platform/db/schema/assets.ts'
import { builtIn } from '#lib/vendors/built-in.ts'
import { vendorInfo } from '#lib/vendors/declarations.ts'
import { nextTermEnd, type RenewalFacts } from './rules.ts'

// What assets say of their terms. Whoever writes here has locked the row before.

/** What the rule asks of an asset. */
export function factsOf(row: LicensedRow): RenewalFacts {
  const { vendor, planName, status, isCommitmentPlan, renewalType } = row
  return {
    status,
    isCommitmentPlan,
    commitmentEnd: row.commitmentEnd?.getTime(),
    renewalType: renewalType ?? undefined,
    choice: vendorInfo(vendor).nextTerm(planName),
    hasNextTerm: vendor !== builtIn.name || nextTermOf(row) !== undefined,
  }
}

/** Begin and end of the term after this one, in books of our own; undefined where its length is not known. */
export function nextTermOf({
  commitmentStart,
  commitmentEnd,
  planName,
}: Pick<LicensedRow, 'commitmentStart' | 'commitmentEnd' | 'planName'>):
  | { start: Date; end: Date }
  | undefined {
  if (!commitmentEnd) return undefined
  const term = { start: commitmentStart?.getTime(), end: commitmentEnd.getTime(), planName }
  const end = nextTermEnd(term)
  return end === undefined ? undefined : { start: commitmentEnd, end: new Date(end) }
}

/** Beside the asset in books of our own: what it will be at the next renewal, or that nothing is ordered. */
export async function setScheduled(
  tx: Transaction,
  customerId: CustomerId,
  assetId: string,
  scheduled: { total: number; at: Date } | undefined,
): Promise<void> {
  await tx
    .update(assets)
    .set({ scheduledTotal: scheduled?.total ?? null, scheduledAt: scheduled?.at ?? null })
    .where(and(eq(assets.customerId, customerId), eq(assets.id, assetId)))
}

/** Begins the next term in books of our own. */
export async function setTerm(
  tx: Transaction,
  customerId: CustomerId,
  assetId: string,
  { start, end }: { start: Date; end: Date },
): Promise<void> {
  await tx
    .update(assets)
    .set({ commitmentStart: start, commitmentEnd: end, scheduledTotal: null, scheduledAt: null })
    .where(and(eq(assets.customerId, customerId), eq(assets.id, assetId)))
}
