import 'server-only'
import type { CustomerId } from '#lib/access/rules.ts'
import type { LicensedRow } from '#lib/assets/store.ts'
import type { Transaction } from '#lib/db/client.ts'
import type { Actor } from '#lib/history/audit.ts'
import { observe } from '#lib/license-changes/observe.ts'
import type { GuardedVendor } from '#lib/vendors/breaker.ts'
import type { NextTerm, WriteAnswer } from '#lib/vendors/vendor.ts'
import { noteOrder, type OrderRow, restoreReplaced, settleOrder } from '../store.ts'

/** What came of it: settled by the vendor's refusal, or whatever the order's row says. */
export type Placed = { kind: 'rejected'; reason: string } | { kind: 'noted' }

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

/** What a vendor's answer makes of an order. */
export async function conclude(
  tx: Transaction,
  { customerId, order, asset, vendor, next, told, requestId }: Step & { next: NextTerm; told: WriteAnswer },
): Promise<Placed> {
  const isLeaving = order.takenBackAt !== null
  const saidToLeave = 'total' in next ? next.total === undefined : next.renewalType === order.formerType
  if (told.kind === 'applied') {
    const { seatVersion } = await observe(tx, customerId, asset, {
      vendor,
      observed: told.observed,
      requestId,
    })
    if (isLeaving && saidToLeave)
      await settleOrder(tx, customerId, order, 'WITHDRAWN', { actor: withdrawer(order), requestId })
    // Somebody has taken it back while it was being placed: the next look sees to that.
    else if (isLeaving) await noteOrder(tx, customerId, order.id, { tries: 0, nextLookAt: new Date() })
    else {
      const placed = { placedAt: new Date(), placedVersion: seatVersion, nextLookAt: order.termEnd }
      await noteOrder(tx, customerId, order.id, { ...placed, tries: 0, reason: null })
    }
    return { kind: 'noted' }
  }
  if (told.kind === 'rejected' && !isLeaving) {
    const { reason } = told
    const actor = { kind: 'vendor', id: vendor.name, name: vendor.label } as const
    await settleOrder(tx, customerId, order, 'REJECTED', { reason, actor, requestId })
    await restoreReplaced(tx, customerId, order.id)
    return { kind: 'rejected', reason }
  }
  const reasons = {
    rejected: told.reason,
    not_sent: `${vendor.label} could not be told yet.`,
    unknown: `${vendor.label} has not confirmed it yet.`,
  }
  const asked = told.kind === 'not_sent' ? (told.retryAfter ?? 0) * 1000 : 0
  const nextLookAt = new Date(Date.now() + Math.max(asked, backoff(order.tries)))
  await noteOrder(tx, customerId, order.id, { reason: reasons[told.kind], nextLookAt })
  return { kind: 'noted' }
}

/** Who took it back. */
export function withdrawer({ takenBackByKind: kind, takenBackById: id, takenBackByName: name }: OrderRow) {
  return { kind, id, name } as Actor
}

/** Until it is looked at again, in milliseconds: a minute at first, twice as long each time, six hours at most. */
export function backoff(tries: number): number {
  return Math.min(MINUTE_MS * 2 ** Math.min(tries, 20), LONGEST_WAIT_MS)
}
