import 'server-only'
import { hasLicenses, type LicensedRow, readAsset } from '#lib/licenses/assets/store.ts'
import { noteUnread } from '#lib/licenses/vendor-subscriptions/store.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { readScope, scope } from '#lib/platform/db/scope.ts'
import { vendorTimes } from '#lib/vendors/settings.ts'
import type { Reading } from '#lib/vendors/vendor.ts'
import { vendorOf } from '#lib/vendors/vendors.ts'
import { forEach } from './for-each.ts'
import { readOwn } from './read-own.ts'
import { take } from './take.ts'
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
