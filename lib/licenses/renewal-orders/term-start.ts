import 'server-only'
import { and, eq } from 'drizzle-orm'
import type { LicensedRow } from '#lib/licenses/assets/store.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { renewalOrders } from '#lib/platform/db/schema/renewals.ts'
import type { Actor } from '#lib/platform/history/audit.ts'
import type { Observed } from '#lib/vendors/vendor.ts'
import { phaseOf } from './rules.ts'
import { ordererOf } from './store.ts'
import { isPlaced, termOf } from './terms.ts'

/**
 * Notes a new term that a vendor shows, where the asset has an active order for it: the first read counts, whatever is
 * bought later. The asset's row is locked and still contains the values before the read.
 * @returns the orderer of the term's licenses, where the term began as ordered
 */
export async function noteTermStart(
  tx: Transaction,
  customerId: CustomerId,
  row: LicensedRow,
  observed: Observed,
): Promise<{ actor: Actor; requestId: string } | undefined> {
  const { customerId: customer, assetId, state } = renewalOrders
  const isActive = and(eq(customer, customerId), eq(assetId, row.id), eq(state, 'STANDING'))
  const [order] = await tx.select().from(renewalOrders).where(isActive)
  if (!order || order.beganAt || order.vendorSubscriptionId !== row.vendorSubscriptionId) return undefined
  if (phaseOf(order.termEnd.getTime(), termOf(observed), Date.now()).kind !== 'over') return undefined
  const { purchased } = observed.seats
  const beganPlaced = isPlaced(order, row)
  const began = {
    beganAt: new Date(),
    beganQuantity: purchased,
    beganType: observed.renewalType,
    beganPlaced,
  }
  await tx
    .update(renewalOrders)
    .set({ ...began, nextLookAt: began.beganAt })
    .where(and(isActive, eq(renewalOrders.id, order.id)))
  if (!beganPlaced || order.takenBackAt || order.toQuantity !== purchased) return undefined
  return { actor: ordererOf(order), requestId: order.requestId }
}
