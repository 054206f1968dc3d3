import 'server-only'
import { type Answer, keepAnswer } from '#lib/api/idempotency.ts'
import { Problem } from '#lib/api/problem.ts'
import type { Asset } from '#lib/assets/contract.ts'
import { knownOf } from '#lib/assets/seats.ts'
import { replyOf } from '#lib/assets/serialize.ts'
import type { Transaction } from '#lib/db/client.ts'
import { env } from '#lib/env.ts'
import { log, logFailure } from '#lib/log.ts'
import type { Observed, Reading, WriteAnswer } from '#lib/vendors/vendor.ts'
import * as answers from './answers.ts'
import { observe } from './observe.ts'
import { readOwn } from './reading/read-own.ts'
import { type Claim, type QuantityRequest, withAsset } from './request.ts'
import { check } from './rules.ts'
import { awaitAnswer } from './settling/await-answer.ts'
import { type Move, moveChange, withdrawChange } from './store/transitions.ts'

/**
 * Carries a claimed change to its vendor: a fresh read, the checks with it, the record that it is sent, the call, its
 * answer. Each step is committed before the next one begins, so that a process may die between any two.
 * @throws Problem `vendor_unavailable`, `change_in_progress` or `outcome_unknown`, which settle nothing
 */
export async function send(request: QuantityRequest, claim: Claim): Promise<Answer<Asset>> {
  const { change, row, vendor } = claim
  const { readMs, writeMs } = env().vendorTimes
  // The vendor's words and our own troubles are for operators; the change's row tells people what they need.
  const note = (reason: string) =>
    log().warn({ requestId: request.requestId, changeId: change.id, vendor: vendor.name, reason }, 'vendor')
  const reading = await readOwn(vendor, row, readMs)
  if (reading.kind === 'unavailable') note(reading.reason)
  const next = await withAsset(request, (tx, asset) => checkAgain(tx, asset, request, claim, reading))
  if (next.kind === 'stop') throw next.problem
  if (next.kind === 'answered') return next.answer

  // A process that slept since then must not send any more: somebody else may have concluded that it died.
  const isLate = Date.now() - next.at > writeMs
  const told: WriteAnswer = isLate
    ? { kind: 'not_sent', code: 'vendor_unavailable', reason: 'The process was held up; nothing was sent.' }
    : await vendor.setQuantity(next.observed, request.quantity, change.id, AbortSignal.timeout(writeMs))
  if ('reason' in told) note(told.reason)
  const answer = await conclude(request, claim, told).catch((error) => {
    if (error instanceof Problem) throw error
    // The call may have been done, whatever keeps us from writing that down.
    logFailure({ status: 504 }, error, request.requestId)
    return undefined
  })
  if (!answer) throw answers.outcomeUnknown(vendor.label, change.id)
  return answer
}

/** What follows a fresh read: the call, an answer that settles the request, or a problem that settles nothing. */
type Next =
  | { kind: 'call'; observed: Observed; at: number }
  | { kind: 'answered'; answer: Answer<Asset> }
  | { kind: 'stop'; problem: Problem }

/** With the vendor's count: the checks again, and SENT where the call may leave. */
async function checkAgain(
  tx: Transaction,
  asset: Claim['row'],
  request: QuantityRequest,
  { change, vendor, claimedAt }: Claim,
  reading: Reading,
): Promise<Next> {
  const { caller, quantity, requestId } = request
  const { customerId } = caller
  const move = (to: Move['to'], more: Pick<Move, 'vendorReason' | 'fromQuantity'>) =>
    moveChange(tx, customerId, change.id, { from: ['CLAIMED'], to, requestId, ...more })
  // A request that turns out to need no call leaves no change, as with a vendor of our own books.
  const withdraw = (why: string) => withdrawChange(tx, customerId, change.id, { why, requestId })
  const stop = (problem: Problem): Next => ({ kind: 'stop', problem })
  const answered = async (answer: Answer<Asset>): Promise<Next> => ({
    kind: 'answered',
    answer: await keepAnswer(tx, request.keyed, answer),
  })
  // The read may be as old as the claim: a process that slept since then begins anew.
  const isOld = Date.now() - claimedAt > env().vendorTimes.leaseMs
  if (reading.kind === 'unavailable' || isOld) {
    await move('FAILED', { vendorReason: `Nothing was sent: ${vendor.label} could not be asked.` })
    const wait = 'retryAfter' in reading ? reading.retryAfter : undefined
    return stop(answers.vendorUnavailable(vendor.label, wait))
  }
  if (reading.kind === 'missing') {
    await withdraw(reading.reason)
    return answered(answers.foreseen({ code: 'vendor_rejected', reason: reading.reason }))
  }
  const { observed } = reading
  const fresh = await observe(tx, customerId, asset, { vendor, observed, requestId })
  if (fresh.seatsPurchased !== observed.seats.purchased) {
    await withdraw('disputed')
    return stop(answers.disputed(vendor.label))
  }
  const found = check(request, { ...knownOf(fresh), foresee: () => vendor.foresee(observed, quantity) })
  if (found.kind === 'refused') {
    await withdraw(found.reason)
    return answered(await answers.refused(tx, customerId, fresh, found))
  }
  if (found.kind === 'unchanged') {
    await withdraw('unchanged')
    return answered(replyOf(fresh))
  }
  if (found.kind === 'rejected') {
    await withdraw(found.reason)
    return answered(answers.foreseen(found))
  }
  const sent = await move('SENT', { fromQuantity: fresh.seatsPurchased })
  // The lease ended while we slept: somebody else may have given the change up.
  if (!sent) return stop(answers.vendorUnavailable(vendor.label))
  return { kind: 'call', observed, at: Date.now() }
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
): Promise<Answer<Asset> | undefined> {
  const { caller, keyed, requestId } = request
  const word = wordOf(told, request.quantity, vendor.label)
  const settled = await withAsset(request, async (tx, asset) => {
    const move = { from: ['SENT', 'UNKNOWN'], to: word.state, requestId } as const
    const { vendorReason, vendorRequestId } = word
    const moved = await moveChange(tx, caller.customerId, change.id, {
      ...move,
      vendorReason,
      vendorRequestId,
    })
    if (told.kind === 'rejected') return keepAnswer(tx, keyed, answers.rejected(told))
    // One that does not move was given up by now, long after its time: the next read will find it.
    if (told.kind !== 'applied' || word.state !== 'APPLIED' || !moved) return undefined
    const seen = { vendor, observed: told.observed, requestId, confirmed: true }
    return keepAnswer(tx, keyed, replyOf(await observe(tx, caller.customerId, asset, seen)))
  })
  if (told.kind === 'not_sent') throw answers.notSent(told, vendor.label)
  return word.state === 'UNKNOWN' ? awaitAnswer(request, change.id, vendor.label) : settled
}

/** The state of a change by the vendor's word to its call, and why, for people. */
function wordOf(told: WriteAnswer, quantity: number, label: string) {
  const vendorRequestId = 'vendorRequestId' in told ? told.vendorRequestId : undefined
  if (told.kind === 'applied' && told.observed.seats.purchased === quantity) {
    return { state: 'APPLIED' as const, vendorReason: undefined, vendorRequestId }
  }
  if (told.kind === 'rejected') {
    return { state: 'REJECTED' as const, vendorReason: told.reason, vendorRequestId }
  }
  if (told.kind === 'not_sent') {
    const isBusy = told.code === 'change_in_progress'
    const vendorReason = isBusy ? told.reason : `Nothing was changed: ${label} did not take the call.`
    return { state: 'FAILED' as const, vendorReason, vendorRequestId }
  }
  const vendorReason = `${label} was asked, and gave no clear answer.`
  return { state: 'UNKNOWN' as const, vendorReason, vendorRequestId }
}
