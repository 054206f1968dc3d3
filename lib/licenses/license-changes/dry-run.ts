import 'server-only'
import type { Asset } from '#lib/licenses/assets/contract.ts'
import { replyOf } from '#lib/licenses/assets/serialize.ts'
import {
  type AssetRow,
  assetStateOf,
  type LicensedRow,
  licensed,
  readAsset,
} from '#lib/licenses/assets/store.ts'
import type { Answer } from '#lib/platform/api/idempotency.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller, CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { readScope } from '#lib/platform/db/scope.ts'
import type { GuardedVendor } from '#lib/vendors/breaker.ts'
import { vendorTimes } from '#lib/vendors/settings.ts'
import type { ObservedSeats, PredictedOutcome, VendorSeats } from '#lib/vendors/vendor.ts'
import { vendorOf } from '#lib/vendors/vendors.ts'
import * as problems from './problems.ts'
import { type ChangeRequest, checkAfterRead, checkBeforeRead } from './rules.ts'
import { findOpenChange } from './store/changes.ts'
import { disputeOf, isReplacement, observedRow, readSubscription } from './vendor-sync/read.ts'
import { readCopy } from './vendor-sync/read-again.ts'

type Question = ChangeRequest & { caller: Caller; assetId: string }

/** Header of every answer to a dry run. */
const DRY_RUN = { 'Dry-Run': 'true' }

/**
 * Returns the predicted answer of `changeQuantity`, by the same checks, including a fresh read of the vendor's record,
 * with the header of a dry run. Sends and stores nothing: the transactions are read-only. A problem that settles nothing
 * is a predicted answer, too.
 */
export async function predictAnswer(question: Question): Promise<Answer<Asset>> {
  const answer = await predict(question).catch(problems.throwLockProblem).catch(asAnswer)
  if (!(answer instanceof Problem)) return { ...answer, headers: DRY_RUN }
  const { code, message, more } = answer
  return new Problem(code, message, { ...more, headers: { ...more.headers, ...DRY_RUN } })
}

function asAnswer(error: unknown): Problem {
  if (error instanceof Problem) return error
  throw error
}

/** @throws Problem as `changeQuantity` does */
async function predict(question: Question): Promise<Answer<Asset>> {
  const { caller, quantity } = question
  const { customerId } = caller
  const local = await readScope(caller, (tx) => byOurRow(tx, customerId, question))
  if ('answer' in local) return local.answer

  const { row, vendor } = local
  const readResult = await readSubscription(vendor, row, vendorTimes().readMs)
  if (readResult.kind === 'unavailable') {
    throw problems.vendorUnavailable(vendor.label, readResult.retryAfter, readResult.why)
  }
  if (readResult.kind === 'missing') {
    return problems.predictedRejection({ code: 'vendor_rejected', reason: readResult.reason })
  }
  const { observed } = readResult
  return readScope(caller, async (tx) => {
    if (await disputeOf(tx, customerId, row, observed)) throw problems.disputed(vendor.label)
    const fresh = observedRow(row, observed)
    if (isReplacement(vendor, row, observed) && fresh.seatsPurchased !== row.seatsPurchased) {
      throw problems.subscriptionReplaced(vendor.label, fresh.seatsPurchased)
    }
    return predictFrom(tx, question, fresh, () => vendor.predictOutcome(observed, quantity))
  })
}

/** Returns the response that our row determines; else the vendor that has to be read. */
async function byOurRow(
  tx: Transaction,
  customerId: CustomerId,
  question: Question,
): Promise<{ answer: Answer<Asset> } | { row: LicensedRow; vendor: GuardedVendor }> {
  const row = await readAsset(tx, customerId, question.assetId)
  if (!row) throw new Problem('not_found')
  const vendor = vendorOf(row)
  if (vendor.systemOfRecord === 'ours') {
    const answer = predictFrom(tx, question, row, (quantityState) =>
      vendor.predictOutcome(quantityState, question.quantity),
    )
    return { answer: await answer }
  }
  const open = await findOpenChange(tx, customerId, row.id)
  const decision = checkBeforeRead(question, { ...assetStateOf(row), open })
  if (decision.kind === 'refused')
    return { answer: await problems.violationProblem(tx, customerId, row, decision) }
  if (decision.kind === 'in_progress') throw problems.otherChange(decision.open)
  const violation = decision.kind === 'unread' ? decision.violation : undefined
  if (violation && (await readCopy(tx, customerId, row.id))?.isFresh) {
    return { answer: problems.decreaseNotAllowed(row, violation) }
  }
  // A change to join has the same total, so the prediction from the vendor's record is valid for both.
  return { row: licensed(row), vendor }
}

/** Returns the predicted answer from the current row. */
async function predictFrom(
  tx: Transaction,
  question: Question,
  row: AssetRow,
  predictOutcome: (quantityState: { seats: VendorSeats }) => PredictedOutcome<ObservedSeats>,
): Promise<Answer<Asset>> {
  const { customerId } = question.caller
  const decision = checkAfterRead(question, assetStateOf(row), predictOutcome)
  if (decision.kind === 'refused') return problems.violationProblem(tx, customerId, row, decision)
  if (decision.kind === 'unchanged') return replyOf(row)
  if (decision.kind === 'rejected') {
    return vendorOf(row).systemOfRecord === 'ours'
      ? problems.rejected(decision)
      : problems.predictedRejection(decision)
  }
  const { purchased, maximum, assigned = row.seatsAssigned } = decision.seats
  return replyOf({
    ...row,
    seatsPurchased: purchased,
    seatsMaximum: maximum,
    seatsAssigned: assigned,
  })
}
