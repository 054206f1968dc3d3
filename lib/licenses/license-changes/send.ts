import 'server-only'
import type { Asset } from '#lib/licenses/assets/contract.ts'
import { replyOf } from '#lib/licenses/assets/serialize.ts'
import { assetStateOf, type LicensedRow, lockLicensed } from '#lib/licenses/assets/store.ts'
import { type Answer, type KeyedRequest, saveResponse } from '#lib/platform/api/idempotency.ts'
import type { Confirm } from '#lib/platform/api/operation.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller, CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { licenseScope } from '#lib/platform/db/scope.ts'
import { log, logFailure } from '#lib/platform/runtime/log.ts'
import type { GuardedVendor } from '#lib/vendors/breaker.ts'
import { vendorTimes } from '#lib/vendors/settings.ts'
import type { Observed, VendorRead, WriteAnswer } from '#lib/vendors/vendor.ts'
import * as problems from './problems.ts'
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
  confirm?: Confirm | undefined
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
  return licenseScope(caller, async (tx) => fn(tx, await lockLicensed(tx, caller.customerId, assetId)))
}

/** Logs the vendor's messages and our own failures for operators; the change's row contains the text for people. */
function logFailureReason({ requestId }: QuantityRequest, { change, vendor }: Claim, reason: string): void {
  const { name, account } = vendor
  log().warn({ requestId, changeId: change.id, vendor: name, account, reason }, 'vendor')
}

/**
 * Carries out a claimed change at its vendor: reads the vendor, checks again, records the change as sent, calls, and
 * applies the result. Each step is committed before the next one begins, so a process may die between any two.
 * @returns undefined where the outcome is unknown, and the caller has to wait for it
 * @throws Problem `vendor_unavailable`, `change_in_progress` or `outcome_unknown`, which settle nothing
 */
export async function send(request: QuantityRequest, claim: Claim): Promise<Answer<Asset> | undefined> {
  const { row, vendor } = claim
  const readResult = await readSubscription(vendor, row, vendorTimes().readMs)
  if (readResult.kind === 'unavailable') logFailureReason(request, claim, readResult.reason)
  const next = await withAsset(request, (tx, asset) => checkAgain(tx, request, claim, { asset, readResult }))
  switch (next.kind) {
    case 'stop':
      throw next.problem
    case 'answered':
      return next.answer
    case 'call':
      return callVendor(request, claim, next)
  }
}

/** Next step after a fresh read: the call, an answer that settles the request, or a problem that settles nothing. */
type Next =
  | ({ kind: 'call' } & Sent)
  | { kind: 'answered'; answer: Answer<Asset> }
  | { kind: 'stop'; problem: Problem }

/**
 * Checks the request again with the vendor's record, and records the change as SENT where the call may leave. Otherwise
 * withdraws the claim, or marks it FAILED where the vendor can't be read.
 */
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
    return stop(problems.vendorUnavailable(vendor.label, retryAfter, why))
  }
  if (readResult.kind === 'missing') {
    await withdraw(readResult.reason)
    return answered(problems.predictedRejection({ code: 'vendor_rejected', reason: readResult.reason }))
  }
  const { observed } = readResult
  const fresh = await observe(tx, customerId, asset, { vendor, observed, requestId })
  if (fresh.seatsPurchased !== observed.seats.purchased) {
    await withdraw('disputed')
    return stop(problems.disputed(vendor.label))
  }
  // The caller decided on the total that we knew. A replacement with an equal total is the same to the caller.
  if (isReplacement(vendor, asset, observed) && fresh.seatsPurchased !== asset.seatsPurchased) {
    await withdraw('found anew')
    return stop(problems.subscriptionReplaced(vendor.label, fresh.seatsPurchased))
  }
  const predictOutcome = () => vendor.predictOutcome(observed, quantity)
  const result = checkAfterRead(request, assetStateOf(fresh), predictOutcome)
  switch (result.kind) {
    case 'refused':
      await withdraw(result.reason)
      return answered(await problems.violationProblem(tx, customerId, fresh, result))
    case 'unchanged':
      await withdraw('unchanged')
      return answered(replyOf(fresh))
    case 'rejected':
      await withdraw(result.reason)
      return answered(problems.predictedRejection(result))
    case 'applied': {
      const sent = await move('SENT', { fromQuantity: fresh.seatsPurchased })
      // The lease ended while this process slept: another process may have given up the change.
      if (!sent) return stop(problems.vendorUnavailable(vendor.label))
      return { kind: 'call', observed, sentAt: Date.now(), movedAt: sent.movedAt }
    }
  }
}

/** Change that was recorded as sent a moment ago, and the read before the call. */
export type Sent = {
  observed: Observed
  /** Epoch milliseconds of this process. */
  sentAt: number
  /** Same time as in the change's row; a different time in the row shows a later send. */
  movedAt: Date
  isResend?: boolean
}

/**
 * Calls the vendor for a change that is recorded as sent, and applies the result.
 * @returns undefined where the outcome is unknown, and the caller has to wait for it
 * @throws Problem as `send` does
 */
export async function callVendor(
  request: QuantityRequest,
  claim: Claim,
  { observed, sentAt, movedAt, isResend = false }: Sent,
): Promise<Answer<Asset> | undefined> {
  const { change, vendor } = claim
  const { writeMs } = vendorTimes()
  // A process that slept since then must not send: another process may have concluded that it died.
  const isExpired = Date.now() - sentAt > writeMs
  const startedAt = performance.now()
  const result: WriteAnswer = isExpired
    ? { kind: 'not_sent', code: 'vendor_unavailable', reason: 'The process was held up; nothing was sent.' }
    : await vendor.setQuantity(observed, request.quantity, change.id, AbortSignal.timeout(writeMs))
  const tookMs = performance.now() - startedAt
  if ('reason' in result) logFailureReason(request, claim, result.reason)
  const outcome = isResend ? asEvidenceOfFirstCall(result) : result
  try {
    return await applyResult(request, claim, outcome, { result, tookMs, movedAt })
  } catch (error) {
    if (error instanceof Problem) throw error
    // The call may have been applied, whatever error prevents the record of it.
    logFailure({ status: 504 }, error, request.requestId)
    throw problems.outcomeUnknown(vendor.label, change.id)
  }
}

/** Reduces the result of a resend to its evidence about the first call: a rejected resend proves nothing. */
function asEvidenceOfFirstCall(result: WriteAnswer): WriteAnswer {
  return result.kind === 'applied' || result.kind === 'unknown'
    ? result
    : { kind: 'unknown', reason: result.reason }
}

/** Call to a vendor: its result and duration, and the time of the change's row when the call left. */
type Attempt = { result: WriteAnswer; tookMs: number; movedAt: Date }

/**
 * Applies the vendor's result to a sent change. Only an applied result leads to a 200.
 * @param outcome the result, reduced to what it proves about the change
 * @returns undefined where the outcome is unknown
 * @throws Problem where the change was certainly not applied
 */
async function applyResult(
  request: QuantityRequest,
  { change, vendor }: Claim,
  outcome: WriteAnswer,
  { result, tookMs, movedAt }: Attempt,
): Promise<Answer<Asset> | undefined> {
  const { caller, keyed, requestId } = request
  const { customerId } = caller
  const { state: to, ...reasons } = transitionFor(outcome, request.quantity, vendor.label)
  const { answer, isSuperseded } = await withAsset(request, async (tx, asset) => {
    if (outcome.kind !== 'applied' && (await wasMoved(tx, customerId, change.id, movedAt))) {
      return { isSuperseded: true }
    }
    await endAttempt(tx, customerId, change.id, { result, tookMs })
    if (outcome.kind === 'not_sent') await noteWait(tx, customerId, change.id, outcome.retryAfter)
    const move = { from: ['SENT', 'UNKNOWN'], to, requestId, ...reasons } as const
    const moved = await moveChange(tx, customerId, change.id, move)
    if (outcome.kind === 'rejected') {
      return { answer: await saveResponse(tx, keyed, problems.rejected(outcome)) }
    }
    // A change that does not move was given up in the meantime: the next read will find the total.
    if (outcome.kind !== 'applied' || to !== 'APPLIED' || !moved) return {}
    const seen = { vendor, observed: outcome.observed, requestId, confirmed: true }
    const updated = await observe(tx, customerId, asset, seen)
    return { answer: await saveResponse(tx, keyed, replyOf(updated)) }
  })
  if (outcome.kind === 'not_sent' && !isSuperseded) throw problems.notSent(outcome, vendor.label)
  // The result came late: another process has given up the change.
  if (to === 'APPLIED' && !answer) throw problems.outcomeUnknown(vendor.label, change.id)
  return answer
}

/**
 * Returns whether another process took the process of this call for dead, and has resent or settled the change since
 * `movedAt`: evidence about this call says nothing about the later one.
 */
async function wasMoved(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
  movedAt: Date,
): Promise<boolean> {
  const current = await readChange(tx, customerId, id)
  return current?.movedAt.getTime() !== movedAt.getTime()
}
