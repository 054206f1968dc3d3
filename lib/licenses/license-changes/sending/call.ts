import 'server-only'
import type { Asset } from '#lib/licenses/assets/contract.ts'
import { replyOf } from '#lib/licenses/assets/serialize.ts'
import { type Answer, keepAnswer } from '#lib/platform/api/idempotency/keys.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { logFailure } from '#lib/platform/runtime/log.ts'
import { vendorTimes } from '#lib/vendors/settings.ts'
import type { Observed, WriteAnswer } from '#lib/vendors/vendor.ts'
import * as answers from '../answers.ts'
import { observe } from '../observe.ts'
import { type Claim, note, type QuantityRequest, withAsset } from '../request.ts'
import { wordOf } from '../settling/word.ts'
import { endAttempt } from '../store/attempts.ts'
import { readChange } from '../store/find.ts'
import { moveChange } from '../store/transitions.ts'
import { noteWait } from '../store/turns.ts'

/** A change that was recorded as sent a moment ago: what was read before it, and when, in epoch milliseconds. */
export type Sent = {
  observed: Observed
  at: number
  /** That time in the change's row: another one there means that it was sent again since. */
  movedAt: Date
  isAgain?: boolean
}

/**
 * The call of a change that is recorded as sent, and what its answer makes of it.
 * @returns undefined where nobody can tell: what became of it is to be waited for
 * @throws Problem as `send` does
 */
export async function call(
  request: QuantityRequest,
  claim: Claim,
  { observed, at, movedAt, isAgain = false }: Sent,
): Promise<Answer<Asset> | undefined> {
  const { change, vendor } = claim
  const { writeMs } = vendorTimes()
  // A process that slept since then must not send any more: somebody else may have concluded that it died.
  const isLate = Date.now() - at > writeMs
  const began = performance.now()
  const told: WriteAnswer = isLate
    ? { kind: 'not_sent', code: 'vendor_unavailable', reason: 'The process was held up; nothing was sent.' }
    : await vendor.setQuantity(observed, request.quantity, change.id, AbortSignal.timeout(writeMs))
  if ('reason' in told) note(request, claim, told.reason)
  const word = isAgain ? ofTheFirst(told) : told
  const attempt = { told, tookMs: performance.now() - began, movedAt }
  return conclude(request, claim, word, attempt).catch((error) => {
    if (error instanceof Problem) throw error
    // The call may have been done, whatever keeps us from writing that down.
    logFailure({ status: 504 }, error, request.requestId)
    throw answers.outcomeUnknown(vendor.label, change.id)
  })
}

/** What the answer to a repeat says of the write: whatever refuses the repeat says nothing of the first call. */
function ofTheFirst(told: WriteAnswer): WriteAnswer {
  return told.kind === 'applied' || told.kind === 'unknown' ? told : { kind: 'unknown', reason: told.reason }
}

/**
 * What the vendor's word makes of a change that was sent. Only that makes a 200.
 * @returns undefined where nobody can tell
 * @throws Problem where surely nothing was done
 */
async function conclude(
  request: QuantityRequest,
  { change, vendor }: Claim,
  told: WriteAnswer,
  attempt: { told: WriteAnswer; tookMs: number; movedAt: Date },
): Promise<Answer<Asset> | undefined> {
  const { caller, keyed, requestId } = request
  const word = wordOf(told, request.quantity, vendor.label)
  let isOver = false
  const settled = await withAsset(request, async (tx, asset) => {
    isOver = told.kind !== 'applied' && (await isTakenOver(tx, caller.customerId, change.id, attempt))
    if (isOver) return undefined
    await endAttempt(tx, caller.customerId, change.id, attempt.told, attempt.tookMs)
    if (told.kind === 'not_sent') await noteWait(tx, caller.customerId, change.id, told.retryAfter)
    const { state: to, ...reasons } = word
    const move = { from: ['SENT', 'UNKNOWN'], to, requestId, ...reasons } as const
    const moved = await moveChange(tx, caller.customerId, change.id, move)
    if (told.kind === 'rejected') return keepAnswer(tx, keyed, answers.rejected(told))
    // One that does not move was given up by now, long after its time: the next read will find it.
    if (told.kind !== 'applied' || word.state !== 'APPLIED' || !moved) return undefined
    const seen = { vendor, observed: told.observed, requestId, confirmed: true }
    return keepAnswer(tx, keyed, replyOf(await observe(tx, caller.customerId, asset, seen)))
  })
  if (told.kind === 'not_sent' && !isOver) throw answers.notSent(told, vendor.label)
  // An answer that came too late to be kept: somebody else has given the change up.
  if (word.state === 'APPLIED' && !settled) throw answers.outcomeUnknown(vendor.label, change.id)
  return settled
}

/**
 * Whether somebody took this call's process for dead, and has sent the change again or settled it: whatever did not come
 * of this call says nothing of that.
 */
async function isTakenOver(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
  { movedAt }: { movedAt: Date },
): Promise<boolean> {
  const now = await readChange(tx, customerId, id)
  return now?.movedAt.getTime() !== movedAt.getTime()
}
