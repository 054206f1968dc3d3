import 'server-only'
import { type LicensedRow, setObserved } from '#lib/licenses/assets/store.ts'
import { setSku } from '#lib/licenses/vendor-subscriptions.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { type Actor, recordAudit } from '#lib/platform/history/audit.ts'
import type { Observed } from '#lib/vendors/vendor.ts'
import { addLicenseChange } from '../store/changes.ts'

type Change = {
  row: LicensedRow
  vendorSubscriptionId: string
  observed: Observed
  actor: Actor
  requestId: string
}

/**
 * Records that a subscription has another SKU at its vendor under the same id, as after an upgrade: as a change of the
 * licenses, whose total stays, by the vendor or by the member who ordered an Extended Service Term, and in the history.
 * The asset's row is locked.
 * @returns what of the row is another
 */
export async function changeSku(
  tx: Transaction,
  customerId: CustomerId,
  { row, vendorSubscriptionId, observed, actor, requestId }: Change,
): Promise<Partial<LicensedRow>> {
  const { skuId, skuName = observed.skuId } = observed
  const from = row.seatsPurchased
  const reason = `The product was changed from ${row.skuName} (${row.skuId}) to ${skuName} (${skuId}).`
  await setSku(tx, customerId, vendorSubscriptionId, skuId)
  // An asset named after its product gets the new product's name.
  const names = { skuName, ...(row.name === row.skuName ? { name: skuName } : {}) }
  await setObserved(tx, customerId, row.id, { values: names, moves: false })
  const state = actor.kind === 'vendor' ? 'DRIFT' : 'APPLIED'
  const change = { asset: row, from, to: from, state, vendorReason: reason } as const
  await addLicenseChange(tx, customerId, { ...change, actor, requestId })
  await recordAudit(tx, customerId, {
    action: 'vendor-subscription.sku-changed',
    subject: vendorSubscriptionId,
    details: { assetId: row.id, from: row.skuId, to: skuId, fromName: row.skuName, toName: skuName },
    actor,
    requestId,
  })
  return { skuId, ...names }
}
