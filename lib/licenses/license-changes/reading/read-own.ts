import 'server-only'
import type { LicensedRow } from '#lib/licenses/assets/store.ts'
import { holdersOf } from '#lib/licenses/vendor-readings/holders.ts'
import type { Reading, RemoteVendor } from '#lib/vendors/vendor.ts'
import { refOf } from '../observe.ts'

type Own = Pick<
  LicensedRow,
  'customerId' | 'id' | 'vendorAccount' | 'vendorCustomerId' | 'subscriptionId' | 'skuId'
>

/**
 * Reads the subscription of an asset at its vendor. The vendor may have found it by customer and SKU, because its id has
 * changed: one that stands in another asset, of whatever customer, is not this asset's, which then has none.
 * @param waitMs how long it may take, in milliseconds
 */
export async function readOwn(vendor: RemoteVendor, own: Own, waitMs: number): Promise<Reading> {
  const reading = await vendor.read(refOf(own), AbortSignal.timeout(waitMs))
  if (reading.kind !== 'read' || reading.observed.subscriptionId === own.subscriptionId) return reading
  const { vendorAccount, vendorCustomerId } = own
  const { subscriptionId } = reading.observed
  const found = { vendor: vendor.name, vendorAccount, vendorCustomerId, subscriptionId }
  const holders = await holdersOf([found])
  // The same id in other letters is its own.
  if (holders.every(({ customerId, assetId }) => customerId === own.customerId && assetId === own.id)) {
    return reading
  }
  const reason = `${vendor.label} has no such subscription of this customer any more.`
  return { kind: 'missing', reason }
}
