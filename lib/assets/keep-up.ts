import 'server-only'
import { type AssetAtVendor, assetsAt, dueChanges } from '#lib/access/due-work.ts'
import { scope } from '#lib/db/scope.ts'
import { env } from '#lib/env.ts'
import type { Observed, RemoteVendor } from '#lib/vendors/vendor.ts'
import { remoteVendors } from '#lib/vendors/vendors.ts'
import { observe } from './observation.ts'
import { openChangeOf } from './open-change.ts'
import { settleChange } from './settle.ts'
import { lockLicensed } from './store.ts'

// What runs in the background reads, and never buys.

/**
 * Settles what is open, by reading; one that fails keeps no other from it.
 * @returns how many were looked at
 * @throws AggregateError of those that failed
 */
export async function settleOpenChanges(requestId: string): Promise<number> {
  const due = await dueChanges()
  await forEach(due, ({ customerId, changeId }) => settleChange({ customerId }, changeId, requestId))
  return due.length
}

/**
 * Reads all subscriptions of all vendors that are configured, and takes what they tell into our assets.
 * @returns how many assets were told of
 * @throws Error where a vendor could not be read to its end; what was read is kept
 */
export async function readVendors(requestId: string): Promise<number> {
  let count = 0
  const read = async (vendor: RemoteVendor) => {
    count += await readVendor(vendor, requestId)
  }
  await forEach(remoteVendors(), read)
  return count
}

/** A page of a hundred takes longer than one subscription. */
const PAGE_TAKES = 5

async function readVendor(vendor: RemoteVendor, requestId: string): Promise<number> {
  let cursor: string | undefined
  let count = 0
  do {
    const signal = AbortSignal.timeout(env().vendorTimes.readMs * PAGE_TAKES)
    const page = await vendor.list(cursor, signal)
    if (page.kind === 'unavailable') throw new Error(`${vendor.label} could not be read: ${page.reason}`)
    const pairs = matched(page.items, await assetsAt(vendor.name, page.items))
    await forEach(pairs, ([asset, observed]) => take(vendor, asset, observed, requestId))
    count += pairs.length
    cursor = page.next
  } while (cursor !== undefined)
  return count
}

/** By the subscription's id; where that changed, by the SKU, if no other one could be meant. */
function matched(items: Observed[], assets: AssetAtVendor[]): [AssetAtVendor, Observed][] {
  return assets.flatMap((asset) => {
    const alike = items.filter(
      ({ customerId, skuId }) => customerId === asset.vendorCustomerId && skuId === asset.skuId,
    )
    const same = alike.find(({ subscriptionId }) => subscriptionId === asset.subscriptionId)
    const siblings = assets.filter(
      ({ vendorCustomerId, skuId }) => vendorCustomerId === asset.vendorCustomerId && skuId === asset.skuId,
    )
    const observed = same ?? (alike.length === 1 && siblings.length === 1 ? alike[0] : undefined)
    return observed ? [[asset, observed]] : []
  })
}

/** A change that is open is left to whoever carries it out, or to the job that settles it. */
async function take(vendor: RemoteVendor, asset: AssetAtVendor, observed: Observed, requestId: string) {
  const { customerId, assetId } = asset
  await scope(asset, async (tx) => {
    const row = await lockLicensed(tx, customerId, assetId)
    if (await openChangeOf(tx, customerId, assetId)) return
    await observe(tx, customerId, row, { vendor, observed, requestId })
  })
}

/** How many are worked on at once, each with a connection of its own. */
const AT_ONCE = 4

async function forEach<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  const rest = [...items]
  const errors: unknown[] = []
  const worker = async () => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) {
      await work(item).catch((error) => errors.push(error))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  if (errors.length > 0) throw new AggregateError(errors, `${errors.length} of ${items.length} failed.`)
}
