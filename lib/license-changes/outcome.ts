import 'server-only'
import { setTimeout as pause } from 'node:timers/promises'
import type { Outcome } from '#lib/api/idempotency.ts'
import type { Asset } from '#lib/assets/contract.ts'
import { readAsset } from '#lib/assets/store.ts'
import { readScope } from '#lib/db/scope.ts'
import { env } from '#lib/env.ts'
import { vendorNamed } from '#lib/vendors/vendors.ts'
import type { Change } from './license-change.ts'
import { readChange } from './open-change.ts'
import * as answer from './quantity-answer.ts'
import { keep, type QuantityRequest, withAsset } from './quantity-request.ts'
import { settleChange } from './settle.ts'

/** Between two looks at a change that another request carries out, in milliseconds. */
const LOOK_EVERY = 150

/**
 * Waits for the outcome of a change that another request began, as long as that one may take.
 * @returns undefined where it was withdrawn and came to nothing
 * @throws Problem `vendor_unavailable` where it failed, `outcome_unknown` where it is open still
 */
export async function awaitOutcome(
  request: QuantityRequest,
  changeId: string,
): Promise<Outcome<Asset> | undefined> {
  const { caller, assetId, requestId } = request
  const { readMs, writeMs } = env().vendorTimes
  const deadline = Date.now() + readMs + writeMs
  let change = await settleChange(caller, changeId, requestId)
  while (change && (change.state === 'CLAIMED' || change.state === 'SENT') && Date.now() < deadline) {
    await pause(LOOK_EVERY)
    change = await readScope(caller, (tx) => readChange(tx, caller.customerId, changeId))
  }
  if (change?.state === 'UNKNOWN') change = await settleChange(caller, changeId, requestId)
  const outcome = change && (await outcomeOf(request, change))
  if (outcome || !change) return outcome
  const row = await readScope(caller, (tx) => readAsset(tx, caller.customerId, assetId))
  throw answer.outcomeUnknown(row ? vendorNamed(row.vendor).label : 'The vendor', changeId)
}

/**
 * What a settled change answers, kept under the request's key; undefined while it is open.
 * @throws Problem `vendor_unavailable` where it was not applied: asking again is safe
 */
export async function outcomeOf(
  request: QuantityRequest,
  change: Change,
): Promise<Outcome<Asset> | undefined> {
  const { state, vendorReason } = change
  if (state === 'FAILED') {
    throw await withAsset(request, async (_tx, { vendor }) =>
      answer.vendorUnavailable(vendorNamed(vendor).label),
    )
  }
  if (state !== 'APPLIED' && state !== 'REJECTED') return undefined
  return withAsset(request, async (tx, row) => {
    const refused = { code: 'vendor_rejected', reason: vendorReason ?? 'The vendor refused it.' } as const
    const outcome = state === 'APPLIED' ? answer.replyOf(row) : answer.vendorRefusal(refused)
    await keep(tx, request, outcome)
    return outcome
  })
}
