import 'server-only'
import type { Asset } from '#lib/licenses/assets/contract.ts'
import { replyOf } from '#lib/licenses/assets/serialize.ts'
import { knownOf } from '#lib/licenses/assets/store.ts'
import { type Answer, keepAnswer } from '#lib/platform/api/idempotency/keys.ts'
import type { Problem } from '#lib/platform/api/problem.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { vendorTimes } from '#lib/vendors/settings.ts'
import type { Reading } from '#lib/vendors/vendor.ts'
import * as answers from '../answers.ts'
import { check } from '../checks.ts'
import { isAnew, observe } from '../observe.ts'
import { readOwn } from '../reading/read-own.ts'
import { type Claim, note, type QuantityRequest, withAsset } from '../request.ts'
import { type Move, moveChange, withdrawChange } from '../store/transitions.ts'
import { noteWait } from '../store/turns.ts'
import { call, type Sent } from './call.ts'

/**
 * Carries a claimed change to its vendor: a fresh read, the checks with it, the record that it is sent, the call, its
 * answer. Each step is committed before the next one begins, so that a process may die between any two.
 * @returns undefined where nobody can tell what the call came to: it is to be waited for
 * @throws Problem `vendor_unavailable`, `change_in_progress` or `outcome_unknown`, which settle nothing
 */
export async function send(request: QuantityRequest, claim: Claim): Promise<Answer<Asset> | undefined> {
  const { row, vendor } = claim
  const reading = await readOwn(vendor, row, vendorTimes().readMs)
  if (reading.kind === 'unavailable') note(request, claim, reading.reason)
  const next = await withAsset(request, (tx, asset) => checkAgain(tx, asset, request, claim, reading))
  if (next.kind === 'stop') throw next.problem
  if (next.kind === 'answered') return next.answer

  return call(request, claim, next)
}

/** What follows a fresh read: the call, an answer that settles the request, or a problem that settles nothing. */
type Next =
  | ({ kind: 'call' } & Sent)
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
  const isOld = Date.now() - claimedAt > vendorTimes().leaseMs
  if (reading.kind === 'unavailable' || isOld) {
    const { retryAfter, why } = reading.kind === 'unavailable' ? reading : {}
    const vendorReason = `Nothing was sent: ${vendor.label} could not be asked.`
    await noteWait(tx, customerId, change.id, retryAfter)
    await move('FAILED', { vendorReason })
    return stop(answers.vendorUnavailable(vendor.label, retryAfter, why))
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
  // What was asked for was meant for the one that we knew: at an equal total, the two are the same to whoever asked.
  if (isAnew(vendor, asset, observed) && fresh.seatsPurchased !== asset.seatsPurchased) {
    await withdraw('found anew')
    return stop(answers.foundAnew(vendor.label, fresh.seatsPurchased))
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
  return { kind: 'call', observed, at: Date.now(), movedAt: sent.movedAt }
}
