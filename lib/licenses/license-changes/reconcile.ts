import 'server-only'
import { lockLicensed } from '#lib/licenses/assets/store.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { licenseScope } from '#lib/platform/db/scope.ts'
import { log } from '#lib/platform/runtime/log.ts'
import { vendorTimes } from '#lib/vendors/settings.ts'
import type { Observed, VendorRead, WriteAnswer } from '#lib/vendors/vendor.ts'
import { vendorOf } from '#lib/vendors/vendors.ts'
import { isStillUnresolved, LONGER_MS, type PollLease, reconcileFromRead } from './reconcile-from-read.ts'
import { type Change, type Move, moveChange, readChange } from './store/changes.ts'
import { acquirePollLease, notePollRef, releasePollLease } from './store/poll-lease.ts'
import { observe, readSubscription, refOf } from './vendor-sync/read.ts'

/** Handler of a read without evidence about a change, called in the transaction that applied the read. */
export type WhenUnknown = (
  tx: Transaction,
  change: Change,
  lease: PollLease,
  readResult: VendorRead,
) => Promise<void>

/** `isJob`: a background call without a waiting user, which reserves scarce vendor calls for people. */
type How = { whenUnknown?: WhenUnknown; isJob?: boolean }

/**
 * Change, and whether another request or job is polling its vendor. `age`: milliseconds in the current state, if
 * nothing was polled.
 */
export type ReconciledChange = Change & { isBeingPolled?: boolean; age?: number }

/**
 * Reconciles an open change by reads and look-ups, and never sends a write. Recovers the change of a dead process after
 * its lease: a claimed change was not sent, the outcome of a sent change is unknown.
 * @returns the change afterwards, which is still open if the vendor can't show its outcome yet; undefined if the change
 * was withdrawn
 */
export async function reconcileChange(
  who: { customerId: CustomerId },
  changeId: string,
  requestId: string,
  { whenUnknown, isJob = false }: How = {},
): Promise<ReconciledChange | undefined> {
  const { customerId } = who
  const { change, lease } = await licenseScope(who, (tx) =>
    recoverAbandoned(tx, customerId, changeId, requestId),
  )
  if (!lease) return change
  if (
    isJob &&
    lease.change.age <= lease.vendor.settleMs + LONGER_MS &&
    (await lease.vendor.secondsUntilAvailable()) > 0
  ) {
    await licenseScope(who, (tx) => releasePollLease(tx, customerId, changeId, requestId))
    return change
  }
  const result = await fetchWriteResult(lease)
  const fromResult =
    result &&
    (await licenseScope(who, (tx) => reconcileFromResult(tx, customerId, lease, { result, requestId })))
  if (fromResult && fromResult.state !== 'UNKNOWN') return fromResult
  const readResult = await readSubscription(lease.vendor, lease.row, vendorTimes().confirmMs)
  return licenseScope(who, async (tx) => {
    const fromRead = await reconcileFromRead(tx, customerId, lease, { readResult, requestId })
    if (fromRead?.state === 'UNKNOWN') await whenUnknown?.(tx, fromRead, lease, readResult)
    await releasePollLease(tx, customerId, changeId, requestId)
    return fromRead
  })
}

/** Recovers a change whose lease has ended, and acquires the poll lease if the vendor is to be polled now. */
async function recoverAbandoned(
  tx: Transaction,
  customerId: CustomerId,
  changeId: string,
  requestId: string,
): Promise<{ change?: ReconciledChange | undefined; lease?: PollLease }> {
  const { leaseMs, checkMs, confirmMs } = vendorTimes()
  const unlocked = await readChange(tx, customerId, changeId)
  // While the change's process may be working, there is nothing to take over, and checking needs no row lock.
  if (!unlocked || (isInProgress(unlocked) && unlocked.age <= leaseMs)) return { change: unlocked }
  const row = await lockLicensed(tx, customerId, unlocked.assetId)
  const change = await readChange(tx, customerId, changeId)
  const vendor = vendorOf(row)
  if (!change || vendor.systemOfRecord === 'ours') return { change }
  if (change.state === 'CLAIMED' && change.age > leaseMs) {
    const vendorReason = 'Nothing was sent: the process that began it ended.'
    const move: Move = { from: ['CLAIMED'], to: 'FAILED', vendorReason, requestId }
    return { change: (await moveChange(tx, customerId, changeId, move)) ?? change }
  }
  if (change.state === 'SENT' && change.age > leaseMs) {
    const vendorReason = 'The process that sent it ended before the answer.'
    await moveChange(tx, customerId, changeId, { from: ['SENT'], to: 'UNKNOWN', vendorReason, requestId })
  }
  const isAcquired = await acquirePollLease(tx, customerId, changeId, { everyMs: checkMs, requestId })
  if (isAcquired) return { change, lease: { vendor, row, change } }
  // One look-up and one read: a process that holds the lease longer is dead.
  const isBeingPolled = change.pollingMs !== null && change.pollingMs < 2 * confirmMs
  return { change: { ...change, isBeingPolled } }
}

/** Returns whether a process may be working on the change. */
export function isInProgress(change: Change | undefined): boolean {
  return change?.state === 'CLAIMED' || change?.state === 'SENT'
}

/** Returns the vendor's result of our write; undefined where the vendor can't be asked for results. */
async function fetchWriteResult({ vendor, row, change }: PollLease): Promise<WriteAnswer | undefined> {
  const write = { changeId: change.id, pollRef: change.pollRef ?? undefined }
  return vendor.lookup?.(refOf(row), write, AbortSignal.timeout(vendorTimes().confirmMs))
}

/**
 * Settles an unknown change by the vendor's result of the write.
 * @returns the change afterwards, still unknown where the vendor does not know the result
 */
async function reconcileFromResult(
  tx: Transaction,
  customerId: CustomerId,
  lease: PollLease,
  { result, requestId }: { result: WriteAnswer; requestId: string },
): Promise<Change | undefined> {
  const { vendor, row } = lease
  const { id } = lease.change
  const asset = await lockLicensed(tx, customerId, row.id)
  const change = await readChange(tx, customerId, id)
  if (!isStillUnresolved(change, lease)) return change
  if ('reason' in result) {
    const { kind, reason } = result
    log().info({ requestId, changeId: id, vendor: vendor.name, kind, reason }, 'vendor was asked for a write')
  }
  if (result.kind === 'unknown') {
    if (result.pollRef !== undefined) await notePollRef(tx, customerId, id, result.pollRef)
    return change
  }
  const observed = result.kind === 'applied' ? withTotal(result.observed, change.toQuantity) : undefined
  const { state: to, ...reasons } = transitionFor(
    observed ? { ...result, kind: 'applied', observed } : result,
    change.toQuantity,
    vendor.label,
  )
  const moved = await moveChange(tx, customerId, id, { from: ['UNKNOWN'], to, requestId, ...reasons })
  if (observed) await observe(tx, customerId, asset, { vendor, observed, requestId, confirmed: true })
  return moved
}

/**
 * Returns the subscription as the write left it. The write was applied, whatever the vendor shows by now: another total
 * is a later change by another user, which the next read finds.
 */
function withTotal(observed: Observed, total: number): Observed {
  const { purchased, maximum } = observed.seats
  if (purchased === total) return observed
  const seats = { ...observed.seats, purchased: total, maximum: maximum === purchased ? total : maximum }
  return { ...observed, seats }
}

/**
 * Returns the state of a change by the vendor's result of the write, and the reason for people. `APPLIED` requires a
 * subscription that shows the total.
 * @param quantity the total that was sent
 */
export function transitionFor(result: WriteAnswer, quantity: number, label: string) {
  const vendorRequestId = 'vendorRequestId' in result ? result.vendorRequestId : undefined
  const pollRef = 'pollRef' in result ? result.pollRef : undefined
  const transition = <State extends string>(state: State, vendorReason?: string) => ({
    state,
    vendorReason,
    vendorRequestId,
    pollRef,
  })
  if (result.kind === 'applied' && result.observed.seats.purchased === quantity) return transition('APPLIED')
  if (result.kind === 'rejected') return transition('REJECTED', result.reason)
  if (result.kind === 'not_sent') {
    const isBusy = result.code === 'change_in_progress'
    return transition(
      'FAILED',
      isBusy ? result.reason : `Nothing was changed: ${label} did not take the call.`,
    )
  }
  if (pollRef !== undefined) return transition('UNKNOWN', `${label} took the order, and has not done it yet.`)
  return transition('UNKNOWN', `${label} was asked, and gave no clear answer.`)
}
