import 'server-only'
import type { Outcome } from '#lib/api/idempotency.ts'
import type { Transaction } from '#lib/db/client.ts'
import { env } from '#lib/env.ts'
import type { Observed, Reading, WriteAnswer } from '#lib/vendors/vendor.ts'
import type { Asset } from './contract.ts'
import { type Move, moveChange, withdrawChange } from './license-change.ts'
import { observe } from './observation.ts'
import { outcomeOf } from './outcome.ts'
import * as answer from './quantity-answer.ts'
import { type Claimed, keep, type QuantityRequest, withAsset } from './quantity-request.ts'
import { settleChange } from './settle.ts'
import type { LicensedRow } from './store.ts'

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
  const decided = await withAsset(request, (tx, asset) => decide(tx, asset, request, claimed, reading))
  if (decided.kind === 'problem') throw decided.problem
  if (decided.kind === 'answered') return decided.outcome

  // A process that slept since then must not send any more: somebody else may have concluded that it died.
  const isLate = Date.now() - decided.at > writeMs
  const told: WriteAnswer = isLate
    ? { kind: 'not_sent', code: 'vendor_unavailable', reason: 'The process was held up; nothing was sent.' }
    : await vendor.setQuantity(decided.observed, request.quantity, change.id, AbortSignal.timeout(writeMs))
  return conclude(request, claimed, told)
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
  { change, vendor }: Claimed,
  reading: Reading,
): Promise<Decided> {
  const { quantity, requestId, caller, ifMatch } = request
  const { customerId } = caller
  const move = (to: Move['to'], vendorReason?: string, fromQuantity?: number) =>
    moveChange(tx, customerId, change.id, { from: ['CLAIMED'], to, vendorReason, fromQuantity, requestId })
  if (reading.kind === 'unavailable') {
    await move('FAILED', `Nothing was sent: ${reading.reason}`)
    return { kind: 'problem', problem: answer.vendorUnavailable(vendor.label, reading.retryAfter) }
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

/** What the call's answer makes of the change. Only the vendor's own word makes a 200. */
async function conclude(
  request: QuantityRequest,
  claimed: Claimed,
  told: WriteAnswer,
): Promise<Outcome<Asset>> {
  const { change, vendor } = claimed
  const { caller, requestId, quantity } = request
  const { customerId } = caller
  const move = (tx: Transaction, rest: Omit<Move, 'from' | 'requestId'>) =>
    moveChange(tx, customerId, change.id, { from: ['SENT', 'UNKNOWN'], requestId, ...rest })
  const vendorRequestId = 'vendorRequestId' in told ? told.vendorRequestId : undefined

  if (told.kind === 'applied' && told.observed.seats.purchased === quantity) {
    const { observed } = told
    const outcome = await withAsset(request, async (tx, asset) => {
      if (!(await move(tx, { to: 'APPLIED', vendorRequestId }))) return undefined
      const row = await observe(tx, customerId, asset, { vendor, observed, requestId, confirmed: true })
      return settled(tx, request, answer.replyOf(row))
    })
    if (outcome) return outcome
    // Given up by now, long after its time: the next read will find it.
    throw answer.outcomeUnknown(vendor.label, change.id)
  }
  if (told.kind === 'rejected') {
    return withAsset(request, async (tx) => {
      await move(tx, { to: 'REJECTED', vendorReason: told.reason, vendorRequestId })
      return settled(tx, request, answer.vendorRefusal(told))
    })
  }
  if (told.kind === 'not_sent') {
    await withAsset(request, (tx) => move(tx, { to: 'FAILED', vendorReason: told.reason }))
    if (told.code === 'change_in_progress') throw answer.changeInProgress(told.reason, told.retryAfter)
    throw answer.vendorUnavailable(vendor.label, told.retryAfter)
  }
  const why = told.kind === 'unknown' ? told.reason : 'The vendor answered another total.'
  await withAsset(request, (tx) => move(tx, { to: 'UNKNOWN', vendorReason: why, vendorRequestId }))
  const known = await settleChange(caller, change.id, requestId)
  const outcome = known && (await outcomeOf(request, known))
  if (outcome) return outcome
  throw answer.outcomeUnknown(vendor.label, change.id)
}

async function answered(
  tx: Transaction,
  request: QuantityRequest,
  outcome: Outcome<Asset>,
): Promise<Decided> {
  return { kind: 'answered', outcome: await settled(tx, request, outcome) }
}

async function settled(tx: Transaction, request: QuantityRequest, outcome: Outcome<Asset>) {
  await keep(tx, request, outcome)
  return outcome
}
