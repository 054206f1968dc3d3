import 'server-only'
import type { Asset } from '#lib/licenses/assets/contract.ts'
import { replyOf } from '#lib/licenses/assets/serialize.ts'
import { assetStateOf, type LicensedRow, lockLicensed } from '#lib/licenses/assets/store.ts'
import { type Answer, type KeyedRequest, saveResponse } from '#lib/platform/api/idempotency.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller, CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { log, logFailure } from '#lib/platform/runtime/log.ts'
import type { GuardedVendor } from '#lib/vendors/breaker.ts'
import { vendorTimes } from '#lib/vendors/settings.ts'
import type { Observed, VendorRead, WriteAnswer } from '#lib/vendors/vendor.ts'
import * as answers from './answers.ts'
import { transitionFor } from './reconcile.ts'
import { type ChangeRequest, checkAfterRead } from './rules.ts'
import {
  type Change,
  endAttempt,
  type Move,
  moveChange,
  readChange,
  withdrawChange,
} from './store/changes.ts'
import { noteWait } from './store/poll-lease.ts'
import { isReplacement, observe, readSubscription } from './vendor-sync/read.ts'

/** A PATCH of a quantity. */
export type QuantityRequest = ChangeRequest & {
  caller: Caller
  assetId: string
  requestId: string
  /** Set for a request with an Idempotency-Key. */
  keyed: KeyedRequest<Asset> | undefined
}

/** Change claimed by a request, to be sent to its vendor outside of any transaction. */
export type Claim = {
  change: Change
  row: LicensedRow
  vendor: GuardedVendor
  /** Epoch milliseconds of this process. */
  claimedAt: number
}

/** Runs a transaction that begins with the lock on the asset's row: locks are taken in one order. */
export function withAsset<T>(
  { caller, assetId }: Pick<QuantityRequest, 'caller' | 'assetId'>,
  fn: (tx: Transaction, asset: LicensedRow) => Promise<T>,
): Promise<T> {
  return scope(caller, async (tx) => fn(tx, await lockLicensed(tx, caller.customerId, assetId)))
}

/** Logs the vendor's messages and our own failures for operators; the change's row contains the text for people. */
function note({ requestId }: QuantityRequest, { change, vendor }: Claim, reason: string): void {
  const { name, account } = vendor
  log().warn({ requestId, changeId: change.id, vendor: name, account, reason }, 'vendor')
}

/**
 * Carries a claimed change to its vendor: fresh read, checks, record as sent, call, answer. Each step is committed
 * before the next one begins, so a process may die between any two.
 * @returns undefined where the outcome is unknown, and the caller has to wait for it
 * @throws Problem `vendor_unavailable`, `change_in_progress` or `outcome_unknown`, which settle nothing
 */
export async function send(request: QuantityRequest, claim: Claim): Promise<Answer<Asset> | undefined> {
  const { row, vendor } = claim
  const readResult = await readSubscription(vendor, row, vendorTimes().readMs)
  if (readResult.kind === 'unavailable') note(request, claim, readResult.reason)
  const next = await withAsset(request, (tx, asset) => checkAgain(tx, request, claim, { asset, readResult }))
  if (next.kind === 'stop') throw next.problem
  if (next.kind === 'answered') return next.answer

  return call(request, claim, next)
}

/** Next step after a fresh read: the call, an answer that settles the request, or a problem that settles nothing. */
type Next =
  | ({ kind: 'call' } & Sent)
  | { kind: 'answered'; answer: Answer<Asset> }
  | { kind: 'stop'; problem: Problem }

/** Checks again with the vendor's count, and records SENT where the call may leave. */
async function checkAgain(
  tx: Transaction,
  request: QuantityRequest,
  { change, vendor, claimedAt }: Claim,
  { asset, readResult }: { asset: LicensedRow; readResult: VendorRead },
): Promise<Next> {
  const { caller, quantity, requestId } = request
  const { customerId } = caller
  const move = (to: Move['to'], more: Pick<Move, 'vendorReason' | 'fromQuantity'>) =>
    moveChange(tx, customerId, change.id, { from: ['CLAIMED'], to, requestId, ...more })
  // A request that needs no call leaves no change, as with built-in records.
  const withdraw = (why: string) => withdrawChange(tx, customerId, change.id, { why, requestId })
  const stop = (problem: Problem): Next => ({ kind: 'stop', problem })
  const answered = async (answer: Answer<Asset>): Promise<Next> => ({
    kind: 'answered',
    answer: await saveResponse(tx, request.keyed, answer),
  })
  // The read may be as old as the claim: a process that slept since then starts over.
  const isOld = Date.now() - claimedAt > vendorTimes().leaseMs
  if (readResult.kind === 'unavailable' || isOld) {
    const { retryAfter, why } = readResult.kind === 'unavailable' ? readResult : {}
    const vendorReason = `Nothing was sent: ${vendor.label} could not be asked.`
    await noteWait(tx, customerId, change.id, retryAfter)
    await move('FAILED', { vendorReason })
    return stop(answers.vendorUnavailable(vendor.label, retryAfter, why))
  }
  if (readResult.kind === 'missing') {
    await withdraw(readResult.reason)
    return answered(answers.predictedRejection({ code: 'vendor_rejected', reason: readResult.reason }))
  }
  const { observed } = readResult
  const fresh = await observe(tx, customerId, asset, { vendor, observed, requestId })
  if (fresh.seatsPurchased !== observed.seats.purchased) {
    await withdraw('disputed')
    return stop(answers.disputed(vendor.label))
  }
  // The request was made for the total that we knew: at an equal total, the two are the same for the caller.
  if (isReplacement(vendor, asset, observed) && fresh.seatsPurchased !== asset.seatsPurchased) {
    await withdraw('found anew')
    return stop(answers.subscriptionReplaced(vendor.label, fresh.seatsPurchased))
  }
  const predictOutcome = () => vendor.predictOutcome(observed, quantity)
  const decision = checkAfterRead(request, assetStateOf(fresh), predictOutcome)
  if (decision.kind === 'refused') {
    await withdraw(decision.reason)
    return answered(await answers.violationProblem(tx, customerId, fresh, decision))
  }
  if (decision.kind === 'unchanged') {
    await withdraw('unchanged')
    return answered(replyOf(fresh))
  }
  if (decision.kind === 'rejected') {
    await withdraw(decision.reason)
    return answered(answers.predictedRejection(decision))
  }
  const sent = await move('SENT', { fromQuantity: fresh.seatsPurchased })
  // The lease ended while this process slept: another process may have given up the change.
  if (!sent) return stop(answers.vendorUnavailable(vendor.label))
  return { kind: 'call', observed, at: Date.now(), movedAt: sent.movedAt }
}

/** Change that was recorded as sent a moment ago: the read before the call, and its time in epoch milliseconds. */
export type Sent = {
  observed: Observed
  at: number
  /** Same time as in the change's row; a different time there shows a later send. */
  movedAt: Date
  isAgain?: boolean
}

/**
 * Calls the vendor for a change that is recorded as sent, and applies the answer.
 * @returns undefined where the outcome is unknown, and the caller has to wait for it
 * @throws Problem as `send` does
 */
export async function call(
  request: QuantityRequest,
  claim: Claim,
  { observed, at, movedAt, isAgain = false }: Sent,
): Promise<Answer<Asset> | undefined> {
  const { change, vendor } = claim
  const { writeMs } = vendorTimes()
  // A process that slept since then must not send: another process may have concluded that it died.
  const isExpired = Date.now() - at > writeMs
  const began = performance.now()
  const result: WriteAnswer = isExpired
    ? { kind: 'not_sent', code: 'vendor_unavailable', reason: 'The process was held up; nothing was sent.' }
    : await vendor.setQuantity(observed, request.quantity, change.id, AbortSignal.timeout(writeMs))
  if ('reason' in result) note(request, claim, result.reason)
  const outcome = isAgain ? ofTheFirst(result) : result
  const attempt = { result, tookMs: performance.now() - began, movedAt }
  return conclude(request, claim, outcome, attempt).catch((error) => {
    if (error instanceof Problem) throw error
    // The call may have been applied, whatever error prevents the record of it.
    logFailure({ status: 504 }, error, request.requestId)
    throw answers.outcomeUnknown(vendor.label, change.id)
  })
}

/** Reduces the answer to a repeat to its evidence about the first call: a refused repeat proves nothing. */
function ofTheFirst(result: WriteAnswer): WriteAnswer {
  return result.kind === 'applied' || result.kind === 'unknown'
    ? result
    : { kind: 'unknown', reason: result.reason }
}

/**
 * Applies the vendor's result to a sent change. Only that result leads to a 200.
 * @returns undefined where the outcome is unknown
 * @throws Problem where certainly nothing was applied
 */
async function conclude(
  request: QuantityRequest,
  { change, vendor }: Claim,
  outcome: WriteAnswer,
  attempt: { result: WriteAnswer; tookMs: number; movedAt: Date },
): Promise<Answer<Asset> | undefined> {
  const { caller, keyed, requestId } = request
  const transition = transitionFor(outcome, request.quantity, vendor.label)
  let isOver = false
  const answer = await withAsset(request, async (tx, asset) => {
    isOver = outcome.kind !== 'applied' && (await isSuperseded(tx, caller.customerId, change.id, attempt))
    if (isOver) return undefined
    await endAttempt(tx, caller.customerId, change.id, { result: attempt.result, tookMs: attempt.tookMs })
    if (outcome.kind === 'not_sent') await noteWait(tx, caller.customerId, change.id, outcome.retryAfter)
    const { state: to, ...reasons } = transition
    const move = { from: ['SENT', 'UNKNOWN'], to, requestId, ...reasons } as const
    const moved = await moveChange(tx, caller.customerId, change.id, move)
    if (outcome.kind === 'rejected') return saveResponse(tx, keyed, answers.rejected(outcome))
    // A change that does not move was given up by now, long after its time: the next read will find the total.
    if (outcome.kind !== 'applied' || transition.state !== 'APPLIED' || !moved) return undefined
    const seen = { vendor, observed: outcome.observed, requestId, confirmed: true }
    return saveResponse(tx, keyed, replyOf(await observe(tx, caller.customerId, asset, seen)))
  })
  if (outcome.kind === 'not_sent' && !isOver) throw answers.notSent(outcome, vendor.label)
  // A late answer: another process has given up the change.
  if (transition.state === 'APPLIED' && !answer) throw answers.outcomeUnknown(vendor.label, change.id)
  return answer
}

/**
 * Returns whether another process took the process of this call for dead, and has resent or settled the change: later
 * evidence refers to another call.
 */
async function isSuperseded(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
  { movedAt }: { movedAt: Date },
): Promise<boolean> {
  const now = await readChange(tx, customerId, id)
  return now?.movedAt.getTime() !== movedAt.getTime()
}
