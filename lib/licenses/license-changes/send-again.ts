import 'server-only'
import { setTimeout as pause } from 'node:timers/promises'
import type { Asset } from '#lib/licenses/assets/contract.ts'
import { assetStateOf } from '#lib/licenses/assets/store.ts'
import type { Answer } from '#lib/platform/api/idempotency.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { actorOf } from '#lib/platform/history/audit.ts'
import { vendorTimes } from '#lib/vendors/settings.ts'
import type { VendorRead } from '#lib/vendors/vendor.ts'
import { type ReconciledChange, reconcileChange, type WhenUnknown } from './reconcile.ts'
import type { PollLease } from './reconcile-from-read.ts'
import { checkAfterRead } from './rules.ts'
import { type Claim, callVendor, type QuantityRequest, type Sent } from './send.ts'
import { type Change, moveChange, readChange } from './store/changes.ts'
import { observedRow } from './vendor-sync/read.ts'

/** Pause between two attempts to acquire the poll lease. */
const RETRY_INTERVAL_MS = 250

/**
 * Reason why a change is not resent. `not_unknown`: the outcome is known, or a process is working on the change.
 * `no_turn`: other requests hold the poll lease all the time. `under_way`: the previous call may be in flight.
 * `forgotten`: the vendor may no longer remember the change's id.
 */
export type Unfit =
  | 'not_unknown'
  | 'no_turn'
  | 'unread'
  | 'moved'
  | 'ordered'
  | 'under_way'
  | 'forgotten'
  | 'refused'

/** Answer to the resent change, undefined where its outcome is unknown; or the reason why nothing was sent. */
export type Again =
  | { answer: Answer<Asset> | undefined; why?: undefined }
  | { answer?: undefined; why: Unfit }

/**
 * Resends a change whose answer was lost, because a user or client requests the same total again and the vendor's
 * writes are idempotent. Reads the vendor first and sends only when the vendor shows the total of the original decision
 * and all our checks still pass. Of parallel requests, one holds the poll lease. Screens that show the change poll as
 * well, so a request waits for up to one poll and the pause after the poll.
 * @param reason of an operator, for the history
 * @throws Problem `outcome_unknown`, which settles nothing
 */
export async function sendAgain(request: QuantityRequest, changeId: string, reason?: string): Promise<Again> {
  const { checkMs, confirmMs } = vendorTimes()
  const deadline = Date.now() + checkMs + 2 * confirmMs
  for (;;) {
    const again = await tryAgain(request, changeId, reason)
    if (again.why !== 'no_turn' || Date.now() > deadline) return again
    await pause(RETRY_INTERVAL_MS)
  }
}

async function tryAgain(request: QuantityRequest, changeId: string, reason?: string): Promise<Again> {
  const recorded: { again?: { claim: Claim; sent: Sent } | Unfit } = {}
  const { caller, requestId } = request
  const whenUnknown: WhenUnknown = async (tx, change, lease, readResult) => {
    recorded.again = await recordAgain(tx, request, change, { lease, readResult, why: reason })
  }
  const change = await reconcileChange(caller, changeId, requestId, { whenUnknown })
  const { again } = recorded
  if (again === undefined)
    return { why: change?.state === 'UNKNOWN' ? (unfit(change) ?? 'no_turn') : 'not_unknown' }
  if (typeof again === 'string') return { why: again }
  return { answer: await callVendor(request, again.claim, again.sent) }
}

/** Returns the reason that prevents resending an unknown change, independent of the vendor's count. */
function unfit({
  seenQuantity,
  pollRef,
  age = Number.POSITIVE_INFINITY,
}: ReconciledChange): Unfit | undefined {
  if (seenQuantity !== null) return 'moved'
  if (pollRef !== null) return 'ordered'
  // The first call may be in flight for its full timeout; and the vendor remembers its id for a while.
  return age <= 2 * vendorTimes().writeMs ? 'under_way' : undefined
}

/** Moves an UNKNOWN change to SENT again, where allowed. The asset's row is locked. */
async function recordAgain(
  tx: Transaction,
  request: QuantityRequest,
  { id, fromQuantity }: Change,
  {
    lease: { vendor, row },
    readResult,
    why,
  }: { lease: PollLease; readResult: VendorRead; why: string | undefined },
): Promise<{ claim: Claim; sent: Sent } | Unfit> {
  const { caller, quantity, requestId } = request
  const { readMs, writeMs } = vendorTimes()
  const now = await readChange(tx, caller.customerId, id)
  if (readResult.kind !== 'read' || !now) return 'unread'
  const { observed } = readResult
  if (observed.seats.purchased !== fromQuantity) return 'moved'
  const unfitNow = unfit(now)
  if (unfitNow) return unfitNow
  if (now.sinceSent + readMs + writeMs >= (vendor.idempotentWrites ?? 0)) return 'forgotten'
  const assetState = assetStateOf(observedRow(row, observed))
  const changeRequest = { quantity, ifMatch: undefined }
  const predictOutcome = () => vendor.predictOutcome(observed, quantity)
  const decision = checkAfterRead(changeRequest, assetState, predictOutcome)
  if (decision.kind !== 'applied') return 'refused'
  const actor = actorOf(caller)
  const move = { from: ['UNKNOWN'], to: 'SENT', as: 'resent', actor, why, requestId } as const
  const change = await moveChange(tx, caller.customerId, id, move)
  const sentAt = Date.now()
  if (!change) return 'no_turn'
  return {
    claim: { change, row, vendor, claimedAt: sentAt },
    sent: { observed, sentAt, movedAt: change.movedAt, isResend: true },
  }
}
