import 'server-only'
import { hasLicenses, type LicensedRow, lockLicensed, readAsset } from '#lib/licenses/assets/store.ts'
import { type AssetAtVendor, holdersOf } from '#lib/licenses/vendor-readings/holders.ts'
import { noteUnread } from '#lib/licenses/vendor-subscriptions.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { readScope, scope } from '#lib/platform/db/scope.ts'
import { vendorTimes } from '#lib/vendors/settings.ts'
import type { Observed, Reading, RemoteVendor } from '#lib/vendors/vendor.ts'
import { vendorOf } from '#lib/vendors/vendors.ts'
import { observe, refOf } from '../observe.ts'
import { findOpenChange } from '../store/changes.ts'
import { forEach } from './for-each.ts'
import { waitFor } from './when.ts'

/** A file may have many thousands, whose vendor gets a list of all anyway, within the hour. */
const MOST_AT_ONCE = 100

/**
 * Reads assets whose books a vendor keeps, because somebody else has written what our copy says.
 * @returns how many of them are still to be read: by the readings that follow, where their vendor did not answer, or where
 * there are too many
 */
export async function readNow(
  customerId: CustomerId,
  assetIds: readonly string[],
  requestId: string,
): Promise<number> {
  let unread = Math.max(0, assetIds.length - MOST_AT_ONCE)
  await forEach(assetIds.slice(0, MOST_AT_ONCE), async (assetId) => {
    const isRead = await readOne(customerId, assetId, requestId).then(
      (reading) => reading === undefined || reading.kind === 'read',
      () => false,
    )
    if (!isRead) unread += 1
  })
  return unread
}

/**
 * Reads one asset at its vendor, and takes over what it tells.
 * @returns undefined where there is nothing to read: no such asset, or books of our own
 */
export async function readOne(
  customerId: CustomerId,
  assetId: string,
  requestId: string,
): Promise<Reading | undefined> {
  const row = await readScope({ customerId }, (tx) => readAsset(tx, customerId, assetId))
  if (!row || !hasLicenses(row)) return undefined
  const vendor = vendorOf(row)
  if (vendor.books === 'ours') return undefined
  const reading = await readOwn(vendor, row, vendorTimes().readMs)
  if (reading.kind !== 'read') {
    await tryAgain(customerId, row)
    return reading
  }
  await take(vendor, { ...row, customerId, assetId }, reading.observed, requestId)
  return reading
}

/** What told nothing is asked for again by itself, sooner or later by how long it has told nothing. */
async function tryAgain(customerId: CustomerId, { vendorSubscriptionId: id }: LicensedRow): Promise<void> {
  const { staleMs } = vendorTimes()
  if (id === null) return
  await scope({ customerId }, (tx) =>
    noteUnread(tx, customerId, id, (age) => waitFor({ kind: 'unread', age }, staleMs)),
  )
}

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
