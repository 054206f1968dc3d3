import 'server-only'
import type { LicensedRow } from '#lib/licenses/assets/store.ts'
import { findOpenChange } from '#lib/licenses/license-changes/store/changes.ts'
import { observe } from '#lib/licenses/license-changes/vendor-sync/read.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import type { Actor } from '#lib/platform/history/audit.ts'
import type { GuardedVendor } from '#lib/vendors/breaker.ts'
import type { NextTerm, WriteAnswer } from '#lib/vendors/vendor.ts'
import { noteOrder, type OrderNote, type OrderRow, restoreReplaced, settleOrder } from '../store.ts'

/** What came of it: settled by the vendor's refusal or by what it shows, or whatever the order's row says. */
export type Placed = { kind: 'rejected' | 'lost'; reason: string } | { kind: 'noted' }

/**
 * What is said to the vendor, whether that takes the order away, of which version of the seats, and until when a statement
 * of before may still be done.
 */
export type Said = {
  kind: 'say'
  next: NextTerm
  takesAway: boolean
  version: number
  unclearBefore: Date | null
}

/** An order that stands at a vendor, with its asset's row, which is locked. */
export type Step = {
  customerId: CustomerId
  order: OrderRow
  asset: LicensedRow
  vendor: GuardedVendor
  requestId: string
}

const MINUTE_MS = 60_000
/** Between two looks at an order that its vendor does not have yet, in milliseconds. */
export const LONGEST_WAIT_MS = 6 * 60 * MINUTE_MS

/**
 * What a vendor's answer makes of an order.
 * @param isSame whether the asset still stands for the subscription that was read
 */
export async function conclude(
  tx: Transaction,
  {
    customerId,
    order,
    asset,
    vendor,
    said,
    told,
    isSame,
    requestId,
  }: Step & {
    said: Said
    told: WriteAnswer
    isSame: boolean
  },
): Promise<Placed> {
  const { takesAway, version, unclearBefore } = said
  const note = (values: OrderNote) => noteOrder(tx, customerId, order.id, values)
  // What is known of this statement says nothing of one before it whose answer was lost.
  const unclearUntil = told.kind === 'unknown' ? order.unclearUntil : unclearBefore
  const isLeaving = order.takenBackAt !== null
  if (told.kind === 'applied') {
    // A change of the licenses that came between has its own word of the seats, and may have deleted the order.
    const isAlone =
      isSame && asset.seatVersion === version && !(await findOpenChange(tx, customerId, asset.id))
    if (isAlone) await observe(tx, customerId, asset, { vendor, observed: told.observed, requestId })
    await settleApplied(tx, customerId, order, {
      isAlone,
      takesAway,
      version,
      unclearUntil,
      requestId,
    })
    return { kind: 'noted' }
  }
  if (told.kind === 'rejected' && !isLeaving) {
    const { reason } = told
    const actor = { kind: 'vendor', id: vendor.name, name: vendor.label } as const
    await settleOrder(tx, customerId, order, 'REJECTED', { reason, actor, requestId })
    // One that it never took is not there, and the one before it is. One that it had is gone with all before.
    if (!order.placedAt) await restoreReplaced(tx, customerId, order.id)
    return { kind: 'rejected', reason }
  }
  const reasons = {
    rejected: told.reason,
    not_sent: `${vendor.label} could not be told yet.`,
    unknown: `${vendor.label} has not confirmed it yet.`,
  }
  const asked = told.kind === 'not_sent' ? (told.retryAfter ?? 0) * 1000 : 0
  const nextLookAt = new Date(Date.now() + Math.max(asked, backoff(order.tries)))
  await note({ reason: reasons[told.kind], nextLookAt, unclearUntil })
  return { kind: 'noted' }
}

type Applied = {
  isAlone: boolean
  takesAway: boolean
  version: number
  unclearUntil: Date | null
  requestId: string
}

/** The vendor has what was said. */
async function settleApplied(
  tx: Transaction,
  customerId: CustomerId,
  order: OrderRow,
  { isAlone, takesAway, version, unclearUntil, requestId }: Applied,
): Promise<void> {
  const soon = new Date(Date.now() + (isAlone ? 0 : MINUTE_MS))
  if (order.takenBackAt) {
    // Somebody has taken it back while it was being placed, or one of before may still be done: it is said again.
    const isUnclear = unclearUntil !== null && unclearUntil.getTime() > Date.now()
    if (!takesAway || isUnclear) {
      const nextLookAt = isUnclear ? unclearUntil : soon
      return noteOrder(tx, customerId, order.id, { tries: 0, nextLookAt, unclearUntil })
    }
    return settleOrder(tx, customerId, order, 'WITHDRAWN', { actor: withdrawer(order), requestId })
  }
  const placed = { placedAt: new Date(), placedVersion: version, heldQuantity: null, heldType: null }
  const nextLookAt = isAlone ? order.termEnd : soon
  await noteOrder(tx, customerId, order.id, { ...placed, nextLookAt, unclearUntil, tries: 0, reason: null })
}

/** Who took it back. */
export function withdrawer({ takenBackByKind: kind, takenBackById: id, takenBackByName: name }: OrderRow) {
  return { kind, id, name } as Actor
}

/** Until it is looked at again, in milliseconds: a minute at first, twice as long each time, six hours at most. */
export function backoff(tries: number): number {
  return Math.min(MINUTE_MS * 2 ** Math.min(tries, 20), LONGEST_WAIT_MS)
}
