import 'server-only'
import { setTimeout as pause } from 'node:timers/promises'
import type { Asset } from '#lib/licenses/assets/contract.ts'
import { replyOf } from '#lib/licenses/assets/serialize.ts'
import { type Answer, keepAnswer } from '#lib/platform/api/idempotency/keys.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import { logFailure } from '#lib/platform/runtime/log.ts'
import { vendorTimes } from '#lib/vendors/settings.ts'
import * as answers from '../answers.ts'
import { type QuantityRequest, withAsset } from '../request.ts'
import { isUnderWay, type Settled, settleChange } from './settle.ts'

/** Between two looks at a change that another request carries out or asks for, in milliseconds. */
const LOOK_EVERY = 150

/**
 * Waits for what becomes of a change, as long as another request may take to carry it out, and answers with it. The
 * answer is kept under the request's key.
 * @param label the vendor's name for people
 * @returns undefined where the change was withdrawn and came to nothing
 * @throws Problem `vendor_unavailable` where it failed: asking again is safe; `outcome_unknown` where it is open still,
 * or nobody can tell
 */
export function awaitAnswer(
  request: QuantityRequest,
  changeId: string,
  label: string,
): Promise<Answer<Asset> | undefined> {
  return settledAnswer(request, changeId, label).catch((error) => {
    if (error instanceof Problem) throw error
    // The change may have been made, whatever keeps us from finding out or writing that down.
    logFailure({ status: 504 }, error, request.requestId)
    throw answers.outcomeUnknown(label, changeId)
  })
}

async function settledAnswer(
  request: QuantityRequest,
  changeId: string,
  label: string,
): Promise<Answer<Asset> | undefined> {
  const { caller, keyed, requestId } = request
  const { readMs, writeMs } = vendorTimes()
  const deadline = Date.now() + readMs + writeMs
  let change: Settled | undefined
  do {
    if (change) await pause(LOOK_EVERY)
    change = await settleChange(caller, changeId, requestId)
  } while (isWorthWaiting(change) && Date.now() < deadline)
  if (!change) return undefined
  const { state, vendorReason } = change
  if (state === 'FAILED') throw answers.vendorUnavailable(label)
  if (state === 'UNCLEAR') throw answers.outcomeUnclear(change, label)
  if (state !== 'APPLIED' && state !== 'REJECTED') throw answers.outcomeUnknown(label, changeId)
  return withAsset(request, async (tx, row) => {
    const reason = vendorReason ?? 'The vendor refused it.'
    const answer = state === 'APPLIED' ? replyOf(row) : answers.rejected({ code: 'vendor_rejected', reason })
    return keepAnswer(tx, keyed, answer)
  })
}

/** Whether it may be known in a moment: a request is at it, somebody asks the vendor, or the vendor has an order. */
function isWorthWaiting(change: Settled | undefined): boolean {
  if (isUnderWay(change)) return true
  return change?.state === 'UNKNOWN' && (change.isBeingAsked === true || change.pollRef !== null)
}
