import 'server-only'
import { lockLicensed } from '#lib/licenses/assets/store.ts'
import type { AssetAtVendor } from '#lib/licenses/vendor-readings/holders.ts'
import { scope } from '#lib/platform/db/scope.ts'
import type { Observed, RemoteVendor } from '#lib/vendors/vendor.ts'
import { observe } from '../observe.ts'
import { findOpenChange } from '../store/find.ts'

type Named = Pick<AssetAtVendor, 'vendorCustomerId' | 'subscriptionId'>

/** The subscription of an asset, as one text. */
function nameAtVendor({ vendorCustomerId, subscriptionId }: Named): string {
  return JSON.stringify([vendorCustomerId, subscriptionId])
}

/** Takes what a vendor told into our row. A change that is open is left to whoever carries it out, or to the job that settles it. */
export async function take(
  vendor: RemoteVendor,
  asset: Named & Pick<AssetAtVendor, 'customerId' | 'assetId'>,
  observed: Observed,
  requestId: string,
) {
  const { customerId, assetId } = asset
  await scope(asset, async (tx) => {
    const row = await lockLicensed(tx, customerId, assetId)
    // An import may have pointed it elsewhere since.
    const isThere = row.vendor === vendor.name && row.vendorAccount === vendor.account
    const isSame = isThere && nameAtVendor(row) === nameAtVendor(asset)
    if (!isSame || (await findOpenChange(tx, customerId, assetId))) return
    await observe(tx, customerId, row, { vendor, observed, requestId })
  })
}
