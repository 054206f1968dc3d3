import 'server-only'
import { and, eq } from 'drizzle-orm'
import type { LicensedRow } from '#lib/licenses/assets/store.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { renewalOrders } from '#lib/platform/db/schema/renewals.ts'
import type { Actor } from '#lib/platform/history/audit.ts'
import { vendorInfo } from '#lib/vendors/declarations.ts'
import type { Observed } from '#lib/vendors/vendor.ts'
import { END_ACTIONS, endActionOf, whatBegan } from './rules.ts'
import { ordererOf } from './store.ts'
import { isPlaced, termOf } from './terms.ts'

/**
 * Notes the successor of a term that a vendor shows, where the asset has an active order: the first read counts, whatever
 * is bought later. The asset's row is locked and still contains the values before the read.
 * @returns the orderer, where that began as ordered, and the ordered total
 */
export async function noteTermStart(
  tx: Transaction,
  customerId: CustomerId,
  row: LicensedRow,
  observed: Observed,
): Promise<{ actor: Actor; requestId: string; total: number | null } | undefined> {
  const { customerId: customer, assetId, state } = renewalOrders
  const isActive = and(eq(customer, customerId), eq(assetId, row.id), eq(state, 'STANDING'))
  const [order] = await tx.select().from(renewalOrders).where(isActive)
  if (!order || order.beganAt || order.vendorSubscriptionId !== row.vendorSubscriptionId) return undefined
  const termEnd = order.termEnd.getTime()
  const { endActions } = vendorInfo(row.vendor)
  const after = { ...termOf(observed), status: observed.status }
  const what = whatBegan({ ...order, termEnd, endActions }, after, Date.now())
  if (!what) return undefined
  const { purchased } = observed.seats
  // The type that a vendor shows of a new term is about its end.
  const next = endActionOf(observed.renewalType) ? null : observed.renewalType
  const beganType = what === 'term' ? next : END_ACTIONS[what]
  const beganPlaced = isPlaced(order, row)
  const began = { beganAt: new Date(), beganQuantity: purchased, beganType, beganPlaced }
  await tx
    .update(renewalOrders)
    .set({ ...began, nextLookAt: began.beganAt })
    .where(and(isActive, eq(renewalOrders.id, order.id)))
  const isOrdered = what === 'term' ? order.toQuantity === purchased : order.renewalType === beganType
  if (!beganPlaced || order.takenBackAt || !isOrdered) return undefined
  return { actor: ordererOf(order), requestId: order.requestId, total: order.toQuantity }
}
