import 'server-only'
import type { Outcome } from '#lib/api/idempotency.ts'
import { Problem } from '#lib/api/problem.ts'
import type { Asset } from '#lib/assets/contract.ts'
import type { LicensedRow } from '#lib/assets/store.ts'
import type { Transaction } from '#lib/db/client.ts'
import { env } from '#lib/env.ts'
import { log, logFailure } from '#lib/log.ts'
import type { Observed, Reading, WriteAnswer } from '#lib/vendors/vendor.ts'
import { conclude } from './conclude.ts'
import { type Move, moveChange, withdrawChange } from './license-change.ts'
import { observe } from './observe.ts'
import * as answer from './quantity-answer.ts'
import { type Claimed, keep, type QuantityRequest, withAsset } from './quantity-request.ts'

/**
 * Carries a claimed change to its vendor: a fresh read, the rule on it, the record that it is sent, the call, its
 * answer. Each step is committed before the next one begins, so that a process may die between any two.
 * @throws Problem `vendor_unavailable`, `change_in_progress` or `outcome_unknown`, which settle nothing
 */
export async function provision(request: QuantityRequest, claimed: Claimed): Promise<Outcome<Asset>> {
  const { change, row, vendor } = claimed
  const { readMs, writeMs } = env().vendorTimes
  const ref = { customerId: row.vendorCustomerId, subscriptionId: row.subscriptionId, skuId: row.skuId }
  const reading = await vendor.read(ref, AbortSignal.timeout(readMs))
  if (reading.kind === 'unavailable') note(request, claimed, reading.reason)
  const decided = await withAsset(request, (tx, asset) => decide(tx, asset, request, claimed, reading))
  if (decided.kind === 'problem') throw decided.problem
  if (decided.kind === 'answered') return decided.outcome

  // A process that slept since then must not send any more: somebody else may have concluded that it died.
  const isLate = Date.now() - decided.at > writeMs
  const told: WriteAnswer = isLate
    ? { kind: 'not_sent', code: 'vendor_unavailable', reason: 'The process was held up; nothing was sent.' }
    : await vendor.setQuantity(decided.observed, request.quantity, change.id, AbortSignal.timeout(writeMs))
  if ('reason' in told) note(request, claimed, told.reason)
  return conclude(request, claimed, told).catch((error) => {
    if (error instanceof Problem) throw error
    // The call may have been done, whatever keeps us from writing that down.
    logFailure({ status: 504 }, error, request.requestId)
    throw answer.outcomeUnknown(vendor.label, change.id)
  })
}

/** The vendor's words and our own troubles are for operators; the change's row tells people what they need. */
function note({ requestId }: QuantityRequest, { change, vendor }: Claimed, reason: string): void {
  log().warn({ requestId, changeId: change.id, vendor: vendor.name, reason }, 'vendor')
}

type Decided =
  | { kind: 'send'; observed: Observed; at: number }
  | { kind: 'answered'; outcome: Outcome<Asset> }
  | { kind: 'problem'; problem: Error }

/** With the vendor's count: the checks again, and SENT where the call may leave. */
async function decide(
  tx: Transaction,
  asset: LicensedRow,
  request: QuantityRequest,
  { change, vendor, claimedAt }: Claimed,
  reading: Reading,
): Promise<Decided> {
  const { quantity, requestId, caller, ifMatch } = request
  const { customerId } = caller
  const move = (to: Move['to'], vendorReason?: string, fromQuantity?: number) =>
    moveChange(tx, customerId, change.id, { from: ['CLAIMED'], to, vendorReason, fromQuantity, requestId })
  // The read may be as old as the claim: a process that slept since then begins anew.
  const isOld = Date.now() - claimedAt > env().vendorTimes.leaseMs
  if (reading.kind === 'unavailable' || isOld) {
    await move('FAILED', `Nothing was sent: ${vendor.label} could not be asked.`)
    const wait = 'retryAfter' in reading ? reading.retryAfter : undefined
    return { kind: 'problem', problem: answer.vendorUnavailable(vendor.label, wait) }
  }
  if (reading.kind === 'missing') {
    await move('REJECTED', reading.reason)
    return answered(tx, request, answer.vendorRefusal({ code: 'vendor_rejected', reason: reading.reason }))
  }
  const { observed } = reading
  const fresh = await observe(tx, customerId, asset, { vendor, observed, requestId })
  // A request that turns out to need no call leaves no change, as with a vendor of our own books.
  const withdraw = async (why: string, outcome: Outcome<Asset>) => {
    await withdrawChange(tx, customerId, change.id, { why, requestId })
    return answered(tx, request, outcome)
  }
  if (fresh.seatsPurchased !== observed.seats.purchased) {
    await withdrawChange(tx, customerId, change.id, { why: 'disputed', requestId })
    return { kind: 'problem', problem: answer.disputed(vendor.label) }
  }
  if (!answer.isVersion(fresh, ifMatch)) {
    return withdraw('version_mismatch', await answer.mismatch(tx, customerId, fresh))
  }
  const decision = answer.decide(fresh, quantity)
  if (!decision.allowed && decision.reason === 'not_active') {
    return withdraw(decision.reason, answer.refusal(decision))
  }
  if (quantity === fresh.seatsPurchased) return withdraw('unchanged', answer.replyOf(fresh))
  if (!decision.allowed) return withdraw(decision.reason, answer.refusal(decision))
  const foreseen = vendor.foresee(observed, quantity)
  if (foreseen.kind === 'rejected') {
    await move('REJECTED', foreseen.reason, fresh.seatsPurchased)
    return answered(tx, request, answer.vendorRefusal(foreseen))
  }
  const sent = await move('SENT', undefined, fresh.seatsPurchased)
  // The lease ended while we slept: somebody else may have given the change up.
  if (!sent) return { kind: 'problem', problem: answer.vendorUnavailable(vendor.label) }
  return { kind: 'send', observed, at: Date.now() }
}

async function answered(
  tx: Transaction,
  request: QuantityRequest,
  outcome: Outcome<Asset>,
): Promise<Decided> {
  await keep(tx, request, outcome)
  return { kind: 'answered', outcome }
}
