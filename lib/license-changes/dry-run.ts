import 'server-only'
import type { Caller } from '#lib/access/rules.ts'
import type { Outcome } from '#lib/api/idempotency.ts'
import { Problem } from '#lib/api/problem.ts'
import type { Asset } from '#lib/assets/contract.ts'
import { changesWithin, isConfirmed } from '#lib/assets/seat-history.ts'
import { seatsOf } from '#lib/assets/seats.ts'
import { hasLicenses, type LicensedRow, readAsset } from '#lib/assets/store.ts'
import type { Transaction } from '#lib/db/client.ts'
import { readScope } from '#lib/db/scope.ts'
import { env } from '#lib/env.ts'
import { movesVersion } from '#lib/imports/asset-differences.ts'
import type { Foreseen, Observed, ObservedSeats } from '#lib/vendors/vendor.ts'
import { vendorNamed } from '#lib/vendors/vendors.ts'
import { rowOf } from './observe.ts'
import { openChangeOf } from './open-change.ts'
import * as answer from './quantity-answer.ts'

type Question = { caller: Caller; assetId: string; quantity: number; ifMatch: string | undefined }

/**
 * What `changeQuantity` would answer: the same checks, also on a fresh read of the vendor's books. Nothing is sent and
 * nothing stored; the database itself refuses it.
 * @throws Problem as `changeQuantity` does
 */
export async function previewQuantity(question: Question): Promise<Outcome<Asset>> {
  const { caller, quantity, ifMatch } = question
  const checked = await readScope(caller, (tx) => check(tx, question))
  if (checked instanceof Problem) return checked
  const vendor = vendorNamed(checked.vendor)
  if (vendor.books === 'ours') {
    const foresee = () => vendor.foresee({ seats: seatsOf(checked) }, quantity)
    return foretold(checked, quantity, foresee)
  }
  const ref = {
    customerId: checked.vendorCustomerId,
    subscriptionId: checked.subscriptionId,
    skuId: checked.skuId,
  }
  const reading = await vendor.read(ref, AbortSignal.timeout(env().vendorTimes.readMs))
  if (reading.kind === 'unavailable') throw answer.vendorUnavailable(vendor.label, reading.retryAfter)
  if (reading.kind === 'missing') return new Problem('vendor_rejected', reading.reason)
  if (reading.observed.seats.purchased !== checked.seatsPurchased) {
    const { staleMs } = env().vendorTimes
    const lately = await readScope(caller, (tx) => changesWithin(tx, caller.customerId, checked.id, staleMs))
    if (lately.some(isConfirmed)) throw answer.disputed(vendor.label)
  }
  const fresh = seen(checked, reading.observed)
  if (!answer.isVersion(fresh, ifMatch)) {
    return readScope(caller, (tx) => answer.mismatch(tx, caller.customerId, fresh))
  }
  return foretold(fresh, quantity, () => vendor.foresee(reading.observed, quantity))
}

async function check(tx: Transaction, { caller, assetId, quantity, ifMatch }: Question) {
  const row = await readAsset(tx, caller.customerId, assetId)
  if (!row) throw new Problem('not_found')
  if (!hasLicenses(row)) {
    return new Problem('quantity_not_supported', `Assets of type ${row.type} have no licenses.`)
  }
  const isFit = vendorNamed(row.vendor).books === 'ours' ? answer.isVersion : answer.mayBecomeVersion
  if (!isFit(row, ifMatch)) return answer.mismatch(tx, caller.customerId, row)
  const open = await openChangeOf(tx, caller.customerId, assetId)
  if (open && open.toQuantity !== quantity) throw answer.otherChange(open)
  return row
}

/** The row as an observation would make it. */
function seen(row: LicensedRow, observed: Observed): LicensedRow {
  const values = { ...row, ...rowOf(row, observed) }
  return { ...values, seatVersion: row.seatVersion + (movesVersion(row, values) ? 1 : 0) }
}

function foretold(
  row: LicensedRow,
  quantity: number,
  foresee: () => Foreseen<ObservedSeats>,
): Outcome<Asset> {
  const decision = answer.decide(row, quantity)
  if (!decision.allowed && decision.reason === 'not_active') return answer.refusal(decision)
  if (quantity === row.seatsPurchased) return answer.replyOf(row)
  if (!decision.allowed) return answer.refusal(decision)
  const foreseen = foresee()
  if (foreseen.kind === 'rejected') return answer.vendorRefusal(foreseen)
  const { purchased, maximum, assigned = row.seatsAssigned } = foreseen.seats
  return answer.replyOf({
    ...row,
    seatsPurchased: purchased,
    seatsMaximum: maximum,
    seatsAssigned: assigned,
  })
}
