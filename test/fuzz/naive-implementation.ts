import { eq } from 'drizzle-orm'
import { decideQuantity } from '#lib/licenses/assets/quantity-rule.ts'
import { addLicenseChange } from '#lib/licenses/license-changes/store/changes.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { assets } from '#lib/platform/db/schema/assets.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { OPERATOR } from '#lib/platform/history/audit.ts'
import type { RemoteVendor } from '#lib/vendors/vendor.ts'
import { vendorOf } from '#lib/vendors/vendors.ts'
import { CUSTOMER } from './stage.ts'
import type { Send } from './writers.ts'

/**
 * A naive implementation: reads our row, calls the vendor, writes our row; a failed call is a failure. Proves that the
 * counts can be other than zero.
 */
export const sendNaively: Send = async (stage, { seed, quantity, headers }) => {
  const caller = { customerId: CUSTOMER as Caller['customerId'] }
  const isRow = eq(assets.id, stage.assetId(seed))
  const [row] = await scope(caller, (tx) => tx.select().from(assets).where(isRow))
  const purchased = row?.seatsPurchased ?? 0
  if (quantity === purchased) return { status: 200 }
  const quantityState = { status: 'ACTIVE', isCommitmentPlan: seed.isCommitmentPlan, purchased }
  if (!decideQuantity(quantityState, quantity).allowed) return { status: 409 }
  const vendor = vendorOf({ vendor: stage.vendor, vendorAccount: seed.account }) as RemoteVendor
  const ref = { customerId: seed.customerId, subscriptionId: seed.id, skuId: seed.skuId }
  const vendorRead = await vendor.read(ref, AbortSignal.timeout(200))
  if (vendorRead.kind !== 'read') return { status: 503 }
  const signal = AbortSignal.timeout(200)
  const answer = await vendor.setQuantity(vendorRead.observed, quantity, crypto.randomUUID(), signal)
  if (answer.kind !== 'applied') return { status: answer.kind === 'rejected' ? 422 : 502 }
  await scope(caller, async (tx) => {
    await tx.update(assets).set({ seatsPurchased: quantity }).where(isRow)
    const asset = { id: stage.assetId(seed), vendorSubscriptionId: row?.vendorSubscriptionId ?? null }
    const change = { asset, from: purchased, to: quantity, state: 'APPLIED' as const }
    await addLicenseChange(tx, caller.customerId, {
      ...change,
      actor: OPERATOR,
      requestId: headers['request-id'] ?? '',
    })
  })
  return { status: 200 }
}
