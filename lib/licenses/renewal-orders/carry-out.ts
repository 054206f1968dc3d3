import 'server-only'
import {
  addSeatSamples,
  assetStateOf,
  type LicensedRow,
  setObserved,
  setSeats,
} from '#lib/licenses/assets/store.ts'
import { addLicenseChange, lastChange } from '#lib/licenses/license-changes/store/changes.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import type { LocalVendor } from '#lib/vendors/vendor.ts'
import { isOverdue, isRenewed, phaseOf } from './rules.ts'
import { noteOrder, type OrderRow, ordererOf, settleOrder } from './store.ts'
import { nextTermOf, setScheduled, termOf } from './terms.ts'

type Due = { order: OrderRow; asset: LicensedRow; vendor: LocalVendor }

/**
 * Carries an order out in our own books: at the end of its term the next one begins with the total that was ordered, as a
 * change of the person who ordered it. Where that is refused, the next term begins with the licenses as they are. The
 * asset's row is locked.
 */
export async function carryOut(tx: Transaction, customerId: CustomerId, due: Due): Promise<void> {
  const { order, asset } = due
  const by = { actor: ordererOf(order), requestId: order.requestId }
  const now = Date.now()
  const phase = phaseOf(order.termEnd.getTime(), termOf(asset), now)
  if (phase.kind === 'running') return noteOrder(tx, customerId, order.id, { nextLookAt: order.termEnd })
  if (phase.kind === 'moved') {
    const termEnd = new Date(phase.termEnd)
    if (order.toQuantity !== null)
      await setScheduled(tx, customerId, asset.id, { total: order.toQuantity, at: termEnd })
    return noteOrder(tx, customerId, order.id, { termEnd, nextLookAt: termEnd })
  }
  const isEnding = !isRenewed(asset.renewalType)
  const isLate = isOverdue(order.termEnd.getTime(), now)
  await setScheduled(tx, customerId, asset.id)
  if (phase.kind === 'due' && !isLate && !isEnding) return beginTerm(tx, customerId, due)
  if (phase.kind === 'over' && asset.seatsPurchased === order.toQuantity)
    return settleOrder(tx, customerId, order, { state: 'APPLIED', ...by })
  const ended = isEnding ? 'The plan was not renewed.' : 'It could not be carried out when the term ended.'
  const reasons = {
    due: ended,
    over: `The next term was recorded with ${asset.seatsPurchased} licenses.`,
    none: 'The plan has no commitment any more.',
  }
  return settleOrder(tx, customerId, order, { state: 'LOST', ...by, reason: reasons[phase.kind] })
}

async function beginTerm(tx: Transaction, customerId: CustomerId, due: Due): Promise<void> {
  const { order, asset, vendor } = due
  const by = { actor: ordererOf(order), requestId: order.requestId }
  const { id: assetId, seatsPurchased: from } = asset
  const to = order.toQuantity ?? from
  const term = nextTermOf(asset)
  const { quantityState } = assetStateOf(asset)
  if (!quantityState || !term || asset.status !== 'ACTIVE') {
    const reason = term ? `The subscription was ${asset.status}.` : 'The next term’s length is not known.'
    return settleOrder(tx, customerId, order, { state: 'REJECTED', ...by, reason })
  }
  await setObserved(tx, customerId, assetId, { values: term, moves: false })
  const last = await lastChange(tx, customerId, assetId)
  if (last && last.createdAt > order.termEnd) {
    const reason = 'The licenses were changed after the term had ended, and before it was carried out.'
    return settleOrder(tx, customerId, order, { state: 'LOST', ...by, reason })
  }
  if (to === from) return settleOrder(tx, customerId, order, { state: 'APPLIED', ...by })
  const foreseen = vendor.predictOutcome(quantityState, to)
  const change = { asset, from, to, ...by }
  if (foreseen.kind === 'rejected') {
    const { reason } = foreseen
    await addLicenseChange(tx, customerId, { ...change, state: 'REJECTED', vendorReason: reason })
    return settleOrder(tx, customerId, order, { state: 'REJECTED', ...by, reason })
  }
  await addLicenseChange(tx, customerId, { ...change, state: 'APPLIED' })
  await setSeats(tx, customerId, assetId, foreseen.seats)
  await addSeatSamples(tx, customerId, [{ assetId, ...foreseen.seats }])
  await settleOrder(tx, customerId, order, { state: 'APPLIED', ...by })
}
