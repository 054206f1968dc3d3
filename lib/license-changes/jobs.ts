import 'server-only'
import { type AssetAtVendor, assetsAt, dueChanges } from '#lib/access/due-work.ts'
import type { CustomerId } from '#lib/access/rules.ts'
import { readAsset } from '#lib/assets/store.ts'
import { readScope } from '#lib/db/scope.ts'
import { env } from '#lib/env.ts'
import { log } from '#lib/log.ts'
import type { Observed, RemoteVendor } from '#lib/vendors/vendor.ts'
import { remoteVendors, vendorOf } from '#lib/vendors/vendors.ts'
import { refOf } from './observe.ts'
import { forEach } from './reading/for-each.ts'
import { readOwn } from './reading/read-own.ts'
import { nameAtVendor, take } from './reading/take.ts'
import { isOpen } from './rules.ts'
import { settleChange } from './settling/settle.ts'
import type { Change } from './store/transitions.ts'

// What runs in the background reads, and never buys.

/**
 * Settles what is open, by reading; one that fails keeps no other from it.
 * @returns how many were looked at
 * @throws AggregateError of those that failed
 */
export async function settleOpenChanges(requestId: string): Promise<number> {
  const due = await dueChanges()
  await forEach(due, async ({ customerId, changeId }) => {
    const change = await settleChange({ customerId }, changeId, requestId)
    if (change && isOpen(change.state)) await warnOfDelay(customerId, change, requestId)
  })
  return due.length
}

/** Somebody has to hear of a change that is open for longer than its vendor may be late. */
async function warnOfDelay(
  customerId: CustomerId,
  { id: changeId, assetId, ...change }: Change,
  requestId: string,
) {
  const row = await readScope({ customerId }, (tx) => readAsset(tx, customerId, assetId))
  const vendor = row && vendorOf(row)
  const openMs = Date.now() - change.createdAt.getTime()
  if (vendor?.books !== 'theirs' || openMs <= Math.max(vendor.settleMs, env().vendorTimes.leaseMs)) return
  const told = {
    customerId,
    assetId,
    changeId,
    vendor: vendor.name,
    state: change.state,
    openSeconds: Math.round(openMs / 1000),
  }
  log().warn({ requestId, ...told }, 'change open for longer than its vendor may be late')
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
  const assets = await assetsAt({ vendor: vendor.name, vendorAccount: vendor.account })
  const listed = new Set<AssetAtVendor>()
  const failure = await readList(vendor, assets, async (pairs) => {
    for (const [asset] of pairs) listed.add(asset)
    await forEach(pairs, ([asset, observed]) => take(vendor, asset, observed, requestId))
  })
  // Their id has changed, or the list did not come to them: each is asked for by itself.
  const missed = assets.filter((asset) => !listed.has(asset))
  let count = listed.size
  await forEach(missed, async (asset) => {
    const reading = await readOwn(vendor, asset, env().vendorTimes.readMs)
    if (reading.kind !== 'read') return
    await take(vendor, asset, reading.observed, requestId)
    count += 1
  })
  if (failure) throw new Error(`${vendor.label} could not be read: ${failure}`)
  return count
}

/** Goes through the vendor's list, page by page; says why where it did not come to the end. */
async function readList(
  vendor: RemoteVendor,
  assets: AssetAtVendor[],
  onPage: (pairs: [AssetAtVendor, Observed][]) => Promise<void>,
): Promise<string | undefined> {
  const bySubscription = Map.groupBy(assets, nameAtVendor)
  let cursor: string | undefined
  do {
    const signal = AbortSignal.timeout(env().vendorTimes.readMs * PAGE_TAKES)
    const page = await vendor.list(cursor, signal)
    if (page.kind === 'unavailable') return page.reason
    const pairs = page.items.flatMap((observed) => {
      const { customerId: vendorCustomerId, subscriptionId } = observed
      const own = bySubscription.get(nameAtVendor({ vendorCustomerId, subscriptionId })) ?? []
      const same = own.filter((asset) => vendor.isSame(refOf(asset), observed))
      return same.map((asset): [AssetAtVendor, Observed] => [asset, observed])
    })
    await onPage(pairs)
    cursor = page.next
  } while (cursor !== undefined)
  return undefined
}
