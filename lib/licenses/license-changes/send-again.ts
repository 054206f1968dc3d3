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
import { check } from './rules.ts'
import { type Claim, call, type QuantityRequest, type Sent } from './send.ts'
import { type Change, moveChange, readChange } from './store/changes.ts'
import { observedRow } from './vendor-sync/read.ts'

/** Between two tries to have the turn, in milliseconds. */
const TRY_EVERY = 250

/**
 * Why a change is not sent again. `not_unknown`: it is known what became of it, or a process is at it. `no_turn`: others
 * ask for it all the time. `under_way`: the call before may be under way there. `forgotten`: the vendor
 * may not remember its id any more.
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

/** The answer to what was sent, undefined where nobody can tell; or why nothing was. */
export type Again =
  | { answer: Answer<Asset> | undefined; why?: undefined }
  | { answer?: undefined; why: Unfit }

/**
 * Sends a change again whose answer was lost, because a person or client asks for the same total again, and the vendor
 * says that a write under the same id has one effect. It is read first: only where the vendor shows the very total
 * that was decided on, and all our checks still allow it, it leaves. Of several who ask, one has the turn. Every screen that
 * shows the change has it looked at, too: who asks waits for as long as one look and the pause after it.
 * @param reason of an operator, for the history
 * @throws Problem `outcome_unknown`, which settles nothing
 */
export async function sendAgain(request: QuantityRequest, changeId: string, reason?: string): Promise<Again> {
  const { checkMs, confirmMs } = vendorTimes()
  const deadline = Date.now() + checkMs + 2 * confirmMs
  for (;;) {
    const again = await tryAgain(request, changeId, reason)
    if (again.why !== 'no_turn' || Date.now() > deadline) return again
    await pause(TRY_EVERY)
  }
}

async function tryAgain(request: QuantityRequest, changeId: string, reason?: string): Promise<Again> {
  const recorded: { again?: { claim: Claim; sent: Sent } | Unfit } = {}
  const { caller, requestId } = request
  const whenUnknown: WhenUnknown = async (tx, change, lease, readResult) => {
    recorded.again = await recordAgain(tx, request, change, lease, readResult, reason)
  }
  const change = await reconcileChange(caller, changeId, requestId, { whenUnknown })
  const { again } = recorded
  if (again === undefined)
    return { why: change?.state === 'UNKNOWN' ? (unfit(change) ?? 'no_turn') : 'not_unknown' }
  if (typeof again === 'string') return { why: again }
  return { answer: await call(request, again.claim, again.sent) }
}

/** What keeps a change that is unknown from being sent again, whatever its vendor shows. */
function unfit({
  seenQuantity,
  pollRef,
  age = Number.POSITIVE_INFINITY,
}: ReconciledChange): Unfit | undefined {
  if (seenQuantity !== null) return 'moved'
  if (pollRef !== null) return 'ordered'
  // The first call may be under way there for as long as it could take; and the vendor remembers its id for a while.
  return age <= 2 * vendorTimes().writeMs ? 'under_way' : undefined
}

/** UNKNOWN becomes SENT once more, where it may. The asset's row is locked. */
async function recordAgain(
  tx: Transaction,
  request: QuantityRequest,
  { id, fromQuantity }: Change,
  { vendor, row }: PollLease,
  readResult: VendorRead,
  why: string | undefined,
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
  const decision = check(changeRequest, {
    ...assetState,
    predictOutcome: () => vendor.predictOutcome(observed, quantity),
  })
  if (decision.kind !== 'applied') return 'refused'
  const actor = actorOf(caller)
  const move = { from: ['UNKNOWN'], to: 'SENT', as: 'resent', actor, why, requestId } as const
  const change = await moveChange(tx, caller.customerId, id, move)
  const at = Date.now()
  if (!change) return 'no_turn'
  return {
    claim: { change, row, vendor, claimedAt: at },
    sent: { observed, at, movedAt: change.movedAt, isAgain: true },
  }
}
