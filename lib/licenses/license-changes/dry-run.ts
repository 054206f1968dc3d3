import 'server-only'
import type { Asset } from '#lib/licenses/assets/contract.ts'
import { replyOf } from '#lib/licenses/assets/serialize.ts'
import { type AssetRow, knownOf, type LicensedRow, licensed, readAsset } from '#lib/licenses/assets/store.ts'
import type { Answer } from '#lib/platform/api/idempotency.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller, CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { readScope } from '#lib/platform/db/scope.ts'
import type { GuardedVendor } from '#lib/vendors/breaker.ts'
import { vendorTimes } from '#lib/vendors/settings.ts'
import type { Foreseen, ObservedSeats, VendorSeats } from '#lib/vendors/vendor.ts'
import { vendorOf } from '#lib/vendors/vendors.ts'
import * as answers from './answers.ts'
import { disputeOf, isAnew, observedRow, readOwn } from './reading/read.ts'
import { readCopy } from './reading/read-again.ts'
import { type Asked, check } from './rules.ts'
import { findOpenChange } from './store/changes.ts'

type Question = Asked & { caller: Caller; assetId: string }

/**
 * What `changeQuantity` would answer: the same checks, also on a fresh read of the vendor's books. Nothing is sent and
 * nothing stored; the database itself refuses it.
 * @throws Problem as `changeQuantity` does
 */
export async function foretellAnswer(question: Question): Promise<Answer<Asset>> {
  const { caller, quantity } = question
  const { customerId } = caller
  const known = await readScope(caller, (tx) => byOurRow(tx, customerId, question))
  if ('answer' in known) return known.answer

  const { row, vendor } = known
  const reading = await readOwn(vendor, row, vendorTimes().readMs)
  if (reading.kind === 'unavailable') {
    throw answers.vendorUnavailable(vendor.label, reading.retryAfter, reading.why)
  }
  if (reading.kind === 'missing') {
    return answers.foreseen({ code: 'vendor_rejected', reason: reading.reason })
  }
  const { observed } = reading
  return readScope(caller, async (tx) => {
    if (await disputeOf(tx, customerId, row, observed)) throw answers.disputed(vendor.label)
    const fresh = observedRow(row, observed)
    if (isAnew(vendor, row, observed) && fresh.seatsPurchased !== row.seatsPurchased) {
      throw answers.foundAnew(vendor.label, fresh.seatsPurchased)
    }
    return foretold(tx, customerId, question, fresh, () => vendor.foresee(observed, quantity))
  })
}

/** The answer where our row tells it; else the vendor that has to be read. */
async function byOurRow(
  tx: Transaction,
  customerId: CustomerId,
  question: Question,
): Promise<{ answer: Answer<Asset> } | { row: LicensedRow; vendor: GuardedVendor }> {
  const row = await readAsset(tx, customerId, question.assetId)
  if (!row) throw new Problem('not_found')
  const vendor = vendorOf(row)
  if (vendor.books === 'ours') {
    const answer = foretold(tx, customerId, question, row, (facts) =>
      vendor.foresee(facts, question.quantity),
    )
    return { answer: await answer }
  }
  const open = await findOpenChange(tx, customerId, row.id)
  const found = check(question, { ...knownOf(row), open })
  if (found.kind === 'refused') return { answer: await answers.refused(tx, customerId, row, found) }
  if (found.kind === 'in_progress') throw answers.otherChange(found.open)
  const refusal = found.kind === 'unread' ? found.refusal : undefined
  if (refusal && (await readCopy(tx, customerId, row.id))?.isFresh) {
    return { answer: answers.decreaseNotAllowed(refusal) }
  }
  // The change that it would join has the same total: what the vendor's books say of that is its answer too.
  return { row: licensed(row), vendor }
}

async function foretold(
  tx: Transaction,
  customerId: CustomerId,
  question: Question,
  row: AssetRow,
  foresee: (facts: { seats: VendorSeats }) => Foreseen<ObservedSeats>,
): Promise<Answer<Asset>> {
  const found = check(question, { ...knownOf(row), foresee })
  if (found.kind === 'refused') return answers.refused(tx, customerId, row, found)
  if (found.kind === 'unchanged') return replyOf(row)
  if (found.kind === 'rejected') {
    return vendorOf(row).books === 'ours' ? answers.rejected(found) : answers.foreseen(found)
  }
  const { purchased, maximum, assigned = row.seatsAssigned } = found.seats
  return replyOf({
    ...row,
    seatsPurchased: purchased,
    seatsMaximum: maximum,
    seatsAssigned: assigned,
  })
}
