import 'server-only'
import { setTimeout as pause } from 'node:timers/promises'
import { and, eq, sql } from 'drizzle-orm'
import type { AssetRow } from '#lib/licenses/assets/store.ts'
import { readFreshness } from '#lib/licenses/vendor-subscriptions.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller, CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { vendorSubscriptions } from '#lib/platform/db/schema/vendors.ts'
import { licenseScope, readScope } from '#lib/platform/db/scope.ts'
import { log } from '#lib/platform/runtime/log.ts'
import type { GuardedVendor } from '#lib/vendors/breaker.ts'
import { vendorTimes } from '#lib/vendors/settings.ts'
import { vendorOf } from '#lib/vendors/vendors.ts'
import { readWithChanges, type WithChanges } from '../assets-with-changes.ts'
import * as problems from '../problems.ts'
import { reconcileChange } from '../reconcile.ts'
import { type Change, findOpenChange } from '../store/changes.ts'
import { readOne } from './read.ts'

/**
 * Reads the vendor for a user who wants the current state of an asset now: the subscription, or the outcome of the open
 * change. Reads at most once per `VENDOR_AGAIN_MS`; a local record needs no read.
 * @returns the asset after the read
 * @throws Problem `not_found`; `vendor_unavailable` if the vendor can't be read, or did not respond to a read a moment
 * ago; `subscription_not_active` if the vendor shows no such subscription
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
  const permit = await licenseScope(who, (tx) =>
    acquireRefresh(tx, customerId, vendorSubscriptionId, againMs),
  )
  if (permit.kind === 'known') return
  if (permit.kind === 'waits') throw problems.noResponseYet(label, permit.seconds)
  const readResult = await readOne(customerId, assetId, requestId)
  if (readResult === undefined || readResult.kind === 'read') return
  log().warn({ requestId, assetId, vendor: name, account, reason: readResult.reason }, 'vendor')
  if (readResult.kind === 'missing') throw new Problem('subscription_not_active', readResult.reason)
  const wait = Math.max(readResult.retryAfter ?? 0, Math.ceil(againMs / 1000))
  throw problems.vendorUnavailable(label, wait, readResult.why)
}

/** Age up to which our copy is fresh, in milliseconds since the vendor's observation. */
const FRESH_COPY_MS = 60_000

/** Our copy of an asset, its open change, and whether the copy may forbid a change without a read. */
export type Copy = { row: AssetRow; open: Change | undefined; isFresh: boolean }

/** Reads our copy without a lock, in one round trip. */
export async function readCopy(
  tx: Transaction,
  customerId: CustomerId,
  assetId: string,
): Promise<Copy | undefined> {
  const [found, open] = await Promise.all([
    readFreshness(tx, customerId, assetId, FRESH_COPY_MS),
    findOpenChange(tx, customerId, assetId),
  ])
  return found && { ...found, open }
}

/** Running reads of this process that requests share, by customer and asset. */
const shared = new Map<string, Promise<Copy | undefined>>()
/** Pause between two checks of a read by another process. */
const LOOK_EVERY = 100

/**
 * Reads the vendor for an asset, once for all waiting requests of all processes. Claims nothing: changes of the asset
 * continue in the meantime.
 * @returns our copy after the read
 * @throws Problem `vendor_unavailable` if the vendor can't be reached, or does not respond in time
 */
export function readShared(
  { customerId }: { customerId: CustomerId },
  row: AssetRow,
  vendor: GuardedVendor,
  requestId: string,
): Promise<Copy | undefined> {
  const name = JSON.stringify([customerId, row.id])
  const running = shared.get(name)
  if (running) return running
  const reading = readInTurn({ customerId }, row, vendor, requestId)
    .then(() => readScope({ customerId }, (tx) => readCopy(tx, customerId, row.id)))
    .finally(() => shared.delete(name))
  shared.set(name, reading)
  return reading
}

async function readInTurn(
  who: { customerId: CustomerId },
  { id: assetId, vendorSubscriptionId }: AssetRow,
  { name, account, label }: GuardedVendor,
  requestId: string,
): Promise<void> {
  const { customerId } = who
  const { readMs } = vendorTimes()
  if (vendorSubscriptionId === null) return
  // The process that holds the lease may die: after the deadline this process acquires the lease.
  const deadline = Date.now() + 2 * readMs
  for (;;) {
    const turn = await licenseScope(who, async (tx) => {
      // The outcome of an open change decides.
      if (await findOpenChange(tx, customerId, assetId)) return { kind: 'known' as const }
      return acquireRefresh(tx, customerId, vendorSubscriptionId, readMs)
    })
    if (turn.kind === 'known') return
    if (turn.kind === 'free') break
    if (Date.now() > deadline) throw problems.noResponseYet(label, turn.seconds)
    await pause(LOOK_EVERY)
  }
  const reading = await readOne(customerId, assetId, requestId)
  if (reading === undefined || reading.kind === 'read') return
  // The next request does not have to wait for the lease.
  await licenseScope(who, (tx) => endReadTurn(tx, customerId, vendorSubscriptionId))
  // The request reads the vendor again, and answers with that result.
  if (reading.kind === 'missing') return
  log().warn({ requestId, assetId, vendor: name, account, reason: reading.reason }, 'vendor')
  throw problems.vendorUnavailable(label, reading.retryAfter, reading.why)
}

/** `waits`: the vendor was read a moment ago without a result; it may be read again after the whole seconds. */
export type RefreshPermit = { kind: 'free' } | { kind: 'known' } | { kind: 'waits'; seconds: number }

/**
 * Acquires the lease to read a vendor for an asset that a user wants to see now: one process at a time, and not where
 * it was read, or observed otherwise, within the last `everyMs` milliseconds.
 */
async function acquireRefresh(
  tx: Transaction,
  customerId: CustomerId,
  vendorSubscriptionId: string,
  everyMs: number,
): Promise<RefreshPermit> {
  const { askedAt, observedAt } = vendorSubscriptions
  const subscriptionFilter = subscriptionOf(customerId, vendorSubscriptionId)
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

/** Releases the lease of a read without a result. */
async function endReadTurn(
  tx: Transaction,
  customerId: CustomerId,
  vendorSubscriptionId: string,
): Promise<void> {
  const isSubscription = subscriptionOf(customerId, vendorSubscriptionId)
  await tx.update(vendorSubscriptions).set({ askedAt: null }).where(isSubscription)
}

function subscriptionOf(customerId: CustomerId, id: string) {
  return and(eq(vendorSubscriptions.customerId, customerId), eq(vendorSubscriptions.id, id))
}
