import 'server-only'
import type { Outcome } from '#lib/api/idempotency.ts'
import type { Asset } from '#lib/assets/contract.ts'
import type { Transaction } from '#lib/db/client.ts'
import type { WriteAnswer } from '#lib/vendors/vendor.ts'
import { type Move, moveChange } from './license-change.ts'
import { observe } from './observe.ts'
import { outcomeOf } from './outcome.ts'
import * as answer from './quantity-answer.ts'
import { type Claimed, keep, type QuantityRequest, withAsset } from './quantity-request.ts'
import { settleChange } from './settle.ts'

/** What the call's answer makes of the change. Only the vendor's own word makes a 200. */
export async function conclude(
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
    const isBusy = told.code === 'change_in_progress'
    const vendorReason = isBusy ? told.reason : `Nothing was changed: ${vendor.label} did not take the call.`
    await withAsset(request, (tx) => move(tx, { to: 'FAILED', vendorReason }))
    if (isBusy) throw answer.changeInProgress(told.reason, told.retryAfter)
    throw answer.vendorUnavailable(vendor.label, told.retryAfter)
  }
  const vendorReason = `${vendor.label} was asked, and gave no clear answer.`
  await withAsset(request, (tx) => move(tx, { to: 'UNKNOWN', vendorReason, vendorRequestId }))
  const known = await settleChange(caller, change.id, requestId)
  const outcome = known && (await outcomeOf(request, known))
  if (outcome) return outcome
  throw answer.outcomeUnknown(vendor.label, change.id)
}

async function settled(tx: Transaction, request: QuantityRequest, outcome: Outcome<Asset>) {
  await keep(tx, request, outcome)
  return outcome
}
