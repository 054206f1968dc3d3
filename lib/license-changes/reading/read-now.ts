import 'server-only'
import type { CustomerId } from '#lib/access/rules.ts'
import { hasLicenses, readAsset } from '#lib/assets/store.ts'
import { readScope } from '#lib/db/scope.ts'
import { env } from '#lib/env.ts'
import { vendorOf } from '#lib/vendors/vendors.ts'
import { forEach } from './for-each.ts'
import { readOwn } from './read-own.ts'
import { take } from './take.ts'

/** A file may have many thousands, whose vendor gets a list of all anyway, within the hour. */
const MOST_AT_ONCE = 100

/**
 * Reads assets whose books a vendor keeps, because somebody else has written what our copy says.
 * @returns how many of them are still to be read: by the hourly reading, where their vendor did not answer, or where
 * there are too many
 */
export async function readNow(
  customerId: CustomerId,
  assetIds: readonly string[],
  requestId: string,
): Promise<number> {
  let unread = Math.max(0, assetIds.length - MOST_AT_ONCE)
  await forEach(assetIds.slice(0, MOST_AT_ONCE), async (assetId) => {
    const isRead = await readOne(customerId, assetId, requestId).catch(() => false)
    if (!isRead) unread += 1
  })
  return unread
}

async function readOne(customerId: CustomerId, assetId: string, requestId: string): Promise<boolean> {
  const row = await readScope({ customerId }, (tx) => readAsset(tx, customerId, assetId))
  if (!row || !hasLicenses(row)) return true
  const vendor = vendorOf(row)
  if (vendor.books === 'ours') return true
  const reading = await readOwn(vendor, row, env().vendorTimes.readMs)
  if (reading.kind !== 'read') return false
  await take(vendor, { ...row, customerId, assetId }, reading.observed, requestId)
  return true
}
