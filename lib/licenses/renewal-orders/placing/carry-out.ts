import 'server-only'
import { addSeatSamples, assetStateOf, type LicensedRow, setSeats } from '#lib/licenses/assets/store.ts'
import { addLicenseChange, lastChange } from '#lib/licenses/license-changes/store/changes.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import type { Actor } from '#lib/platform/history/audit.ts'
import type { LocalVendor } from '#lib/vendors/vendor.ts'
import { fateOf, isRenewed } from '../rules.ts'
import { noteOrder, type OrderRow, settleOrder, wantedOf } from '../store.ts'
import { nextTermOf, setScheduled, setTerm } from '../terms.ts'
import { isOverdue } from './next-step.ts'

/**
 * What becomes now of an order in books of our own: at the end of its term the next one begins with the total that was
 * ordered, as a change of whoever ordered it. Where that is refused, the next term begins with the licenses as they are.
 * The asset's row must be locked.
 */
export async function carryOut(
  tx: Transaction,
  customerId: CustomerId,
  { order, asset, vendor }: { order: OrderRow; asset: LicensedRow; vendor: LocalVendor },
): Promise<void> {
  const { id: assetId, seatsPurchased: purchased, isCommitmentPlan } = asset
  const wanted = wantedOf(order)
  const by = { actor: actorOf(order), requestId: order.requestId }
  const commitmentEnd = asset.commitmentEnd?.getTime()
  const commitmentStart = asset.commitmentStart?.getTime()
  const plan = { isCommitmentPlan, commitmentStart, commitmentEnd, purchased }
  const fate = fateOf({ termEnd: order.termEnd.getTime(), wanted }, plan, Date.now())
  if (fate.kind === 'waits') return noteOrder(tx, customerId, order.id, { nextLookAt: order.termEnd })
  if (fate.kind === 'moved') {
    const termEnd = new Date(fate.termEnd)
    if ('quantity' in wanted)
      await setScheduled(tx, customerId, assetId, { total: wanted.quantity, at: termEnd })
    return noteOrder(tx, customerId, order.id, { termEnd, nextLookAt: termEnd })
  }
  const isLate = isOverdue(order, Date.now())
  const isEnding = !isRenewed(asset.renewalType)
  if (fate.kind === 'due' && !isLate && !isEnding) return beginTerm(tx, customerId, { order, asset, vendor })
  await setScheduled(tx, customerId, assetId, undefined)
  if (fate.kind === 'due') {
    const reason = isEnding ? 'The plan was not renewed.' : 'It could not be carried out when the term ended.'
    return settleOrder(tx, customerId, order, 'LOST', { ...by, reason })
  }
  if (fate.kind === 'over' && fate.isAsOrdered) return settleOrder(tx, customerId, order, 'APPLIED', by)
  const reason =
    fate.kind === 'over'
      ? `The next term was recorded with ${purchased} licenses.`
      : 'The plan has no commitment any more.'
  return settleOrder(tx, customerId, order, 'LOST', { ...by, reason })
}

async function beginTerm(
  tx: Transaction,
  customerId: CustomerId,
  { order, asset, vendor }: { order: OrderRow; asset: LicensedRow; vendor: LocalVendor },
): Promise<void> {
  const by = { actor: actorOf(order), requestId: order.requestId }
  const { id: assetId, seatsPurchased: from } = asset
  const to = order.toQuantity ?? from
  const term = nextTermOf(asset)
  const { quantityState } = assetStateOf(asset)
  const refused = !quantityState || !term || asset.status !== 'ACTIVE'
  if (refused) {
    const reason = term
      ? `The subscription was ${asset.status}.`
      : 'The length of the next term is not known.'
    await setScheduled(tx, customerId, assetId, undefined)
    return settleOrder(tx, customerId, order, 'REJECTED', { ...by, reason })
  }
  await setTerm(tx, customerId, assetId, term)
  const last = await lastChange(tx, customerId, assetId)
  if (last && last.createdAt > order.termEnd) {
    const reason = 'The licenses were changed after the term had ended, and before it was carried out.'
    return settleOrder(tx, customerId, order, 'LOST', { ...by, reason })
  }
  if (to === from) return settleOrder(tx, customerId, order, 'APPLIED', by)
  const foreseen = vendor.predictOutcome(quantityState, to)
  const change = { asset, from, to, ...by }
  if (foreseen.kind === 'rejected') {
    const { reason } = foreseen
    await addLicenseChange(tx, customerId, { ...change, state: 'REJECTED', vendorReason: reason })
    return settleOrder(tx, customerId, order, 'REJECTED', { ...by, reason })
  }
  await addLicenseChange(tx, customerId, { ...change, state: 'APPLIED' })
  await setSeats(tx, customerId, assetId, foreseen.seats)
  await addSeatSamples(tx, customerId, [{ assetId, ...foreseen.seats }])
  await settleOrder(tx, customerId, order, 'APPLIED', by)
}

/** Who ordered it. */
function actorOf({ actorKind, actorId, actorName }: OrderRow): Actor {
  return { kind: actorKind as Actor['kind'], id: actorId, name: actorName }
}
