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
import { settleChange } from '../settle.ts'
import { readOne } from './read.ts'

/**
 * Has the vendor asked for an asset, because somebody wants to know at once what it shows: its subscription, or what
 * became of the change that is open there. Not more often than every `VENDOR_AGAIN_MS`; books of our own need no asking.
 * @returns the asset as it is then
 * @throws Problem `not_found`; `vendor_unavailable` where it can't be read, or has told nothing to who asked just before;
 * `subscription_not_active` where it shows no such subscription
 */
export async function readAgain(caller: Caller, assetId: string, requestId: string): Promise<WithChanges> {
  const known = await readKnown(caller, assetId)
  const vendor = vendorOf(known.asset)
  if (vendor.books === 'ours') return known
  if (known.changes.openChange) await settleChange(caller, known.changes.openChange.id, requestId)
  else await askVendor(caller, known.asset, vendor, requestId)
  return readKnown(caller, assetId)
}

async function readKnown(who: { customerId: CustomerId }, assetId: string): Promise<WithChanges> {
  const known = await readScope(who, (tx) => readWithChanges(tx, who.customerId, assetId))
  if (!known) throw new Problem('not_found')
  return known
}

async function askVendor(
  who: { customerId: CustomerId },
  { id: assetId, vendorSubscriptionId }: AssetRow,
  { name, account, label }: GuardedVendor,
  requestId: string,
): Promise<void> {
  const { customerId } = who
  const { againMs } = vendorTimes()
  if (vendorSubscriptionId === null) return
  const turn = await scope(who, (tx) => takeReadTurn(tx, customerId, vendorSubscriptionId, againMs))
  if (turn.kind === 'known') return
  if (turn.kind === 'waits') throw answers.nothingTold(label, turn.seconds)
  const reading = await readOne(customerId, assetId, requestId)
  if (reading === undefined || reading.kind === 'read') return
  log().warn({ requestId, assetId, vendor: name, account, reason: reading.reason }, 'vendor')
  if (reading.kind === 'missing') throw new Problem('subscription_not_active', reading.reason)
  const wait = Math.max(reading.retryAfter ?? 0, Math.ceil(againMs / 1000))
  throw answers.vendorUnavailable(label, wait, reading.why)
}

/** `waits`: it was asked a moment ago and has told nothing since; in whole seconds it may be asked again. */
export type ReadTurn = { kind: 'free' } | { kind: 'known' } | { kind: 'waits'; seconds: number }

/**
 * Takes the turn to ask a vendor for an asset, because somebody wants to know at once: one process at a time, and not
 * where it was asked, or has told of it by itself, within the last `everyMs` milliseconds.
 */
async function takeReadTurn(
  tx: Transaction,
  customerId: CustomerId,
  vendorSubscriptionId: string,
  everyMs: number,
): Promise<ReadTurn> {
  const { askedAt, observedAt } = vendorSubscriptions
  const own = and(
    eq(vendorSubscriptions.customerId, customerId),
    eq(vendorSubscriptions.id, vendorSubscriptionId),
  )
  const since = sql`statement_timestamp() - ${everyMs}::int * interval '1 millisecond'`
  const taken = await tx
    .update(vendorSubscriptions)
    .set({ askedAt: sql`statement_timestamp()` })
    .where(and(own, sql`coalesce(greatest(${askedAt}, ${observedAt}), '-infinity') < ${since}`))
    .returning({ id: vendorSubscriptions.id })
  if (taken.length === 1) return { kind: 'free' }
  const wait = sql<number>`ceil(extract(epoch from ${askedAt} - (${since})))::int`
  const isUnanswered = sql<boolean>`coalesce(${askedAt} > coalesce(${observedAt}, '-infinity'), false)`
  const [row] = await tx.select({ wait, isUnanswered }).from(vendorSubscriptions).where(own)
  return row?.isUnanswered ? { kind: 'waits', seconds: Math.max(1, row.wait) } : { kind: 'known' }
}
