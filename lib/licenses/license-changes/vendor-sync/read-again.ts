import 'server-only'
import { and, eq, sql } from 'drizzle-orm'
import type { AssetRow } from '#lib/licenses/assets/store.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller, CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { vendorSubscriptions } from '#lib/platform/db/schema/vendors.ts'
import { readScope, scope } from '#lib/platform/db/scope.ts'
import { log } from '#lib/platform/runtime/log.ts'
import type { GuardedVendor } from '#lib/vendors/breaker.ts'
import { vendorTimes } from '#lib/vendors/settings.ts'
import { vendorOf } from '#lib/vendors/vendors.ts'
import * as answers from '../answers.ts'
import { readWithChanges, type WithChanges } from '../open-change.ts'
import { reconcileChange } from '../reconcile.ts'
import { readOne } from './read.ts'

/**
 * Has the vendor asked for an asset, because somebody wants to know at once what it shows: its subscription, or what
 * became of the change that is open there. Not more often than every `VENDOR_AGAIN_MS`; books of our own need no asking.
 * @returns the asset as it is then
 * @throws Problem `not_found`; `vendor_unavailable` where it can't be read, or has told nothing to who asked just before;
 * `subscription_not_active` where it shows no such subscription
 */
export async function readAgain(caller: Caller, assetId: string, requestId: string): Promise<WithChanges> {
  const current = await readCurrent(caller, assetId)
  const vendor = vendorOf(current.asset)
  if (vendor.systemOfRecord === 'ours') return current
  if (current.changes.openChange) await reconcileChange(caller, current.changes.openChange.id, requestId)
  else await pollVendor(caller, current.asset, vendor, requestId)
  return readCurrent(caller, assetId)
}

async function readCurrent(who: { customerId: CustomerId }, assetId: string): Promise<WithChanges> {
  const current = await readScope(who, (tx) => readWithChanges(tx, who.customerId, assetId))
  if (!current) throw new Problem('not_found')
  return current
}

async function pollVendor(
  who: { customerId: CustomerId },
  { id: assetId, vendorSubscriptionId }: AssetRow,
  { name, account, label }: GuardedVendor,
  requestId: string,
): Promise<void> {
  const { customerId } = who
  const { againMs } = vendorTimes()
  if (vendorSubscriptionId === null) return
  const permit = await scope(who, (tx) => acquireRefresh(tx, customerId, vendorSubscriptionId, againMs))
  if (permit.kind === 'known') return
  if (permit.kind === 'waits') throw answers.noResponseYet(label, permit.seconds)
  const readResult = await readOne(customerId, assetId, requestId)
  if (readResult === undefined || readResult.kind === 'read') return
  log().warn({ requestId, assetId, vendor: name, account, reason: readResult.reason }, 'vendor')
  if (readResult.kind === 'missing') throw new Problem('subscription_not_active', readResult.reason)
  const wait = Math.max(readResult.retryAfter ?? 0, Math.ceil(againMs / 1000))
  throw answers.vendorUnavailable(label, wait, readResult.why)
}

/** `waits`: it was asked a moment ago and has told nothing since; in whole seconds it may be asked again. */
export type RefreshPermit = { kind: 'free' } | { kind: 'known' } | { kind: 'waits'; seconds: number }

/**
 * Takes the turn to ask a vendor for an asset, because somebody wants to know at once: one process at a time, and not
 * where it was asked, or has told of it by itself, within the last `everyMs` milliseconds.
 */
async function acquireRefresh(
  tx: Transaction,
  customerId: CustomerId,
  vendorSubscriptionId: string,
  everyMs: number,
): Promise<RefreshPermit> {
  const { askedAt, observedAt } = vendorSubscriptions
  const subscriptionFilter = and(
    eq(vendorSubscriptions.customerId, customerId),
    eq(vendorSubscriptions.id, vendorSubscriptionId),
  )
  const since = sql`statement_timestamp() - ${everyMs}::int * interval '1 millisecond'`
  const updated = await tx
    .update(vendorSubscriptions)
    .set({ askedAt: sql`statement_timestamp()` })
    .where(
      and(subscriptionFilter, sql`coalesce(greatest(${askedAt}, ${observedAt}), '-infinity') < ${since}`),
    )
    .returning({ id: vendorSubscriptions.id })
  if (updated.length === 1) return { kind: 'free' }
  const wait = sql<number>`ceil(extract(epoch from ${askedAt} - (${since})))::int`
  const isUnanswered = sql<boolean>`coalesce(${askedAt} > coalesce(${observedAt}, '-infinity'), false)`
  const [row] = await tx.select({ wait, isUnanswered }).from(vendorSubscriptions).where(subscriptionFilter)
  return row?.isUnanswered ? { kind: 'waits', seconds: Math.max(1, row.wait) } : { kind: 'known' }
}
