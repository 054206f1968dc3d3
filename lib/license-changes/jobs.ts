import 'server-only'
import { type AssetAtVendor, assetsAt, type DueChange, dueChanges } from '#lib/access/due-work.ts'
import { env } from '#lib/env.ts'
import { log } from '#lib/log.ts'
import type { Observed, RemoteVendor } from '#lib/vendors/vendor.ts'
import { remoteVendors } from '#lib/vendors/vendors.ts'
import { refOf } from './observe.ts'
import { forEach } from './reading/for-each.ts'
import { readOwn } from './reading/read-own.ts'
import { nameAtVendor, take } from './reading/take.ts'
import { isOpen } from './rules.ts'
import { settleChange } from './settling/settle.ts'
import { readUnsettled } from './settling/unsettled.ts'

// What runs in the background reads, and never buys.

/**
 * Settles what is open, by reading; one that fails keeps no other from it.
 * @returns how many were looked at
 * @throws AggregateError of those that failed
 */
export async function settleOpenChanges(requestId: string): Promise<number> {
  const due = await dueChanges()
  await forEach(due, async (one) => {
    const change = await settleChange(one, one.changeId, requestId)
    if (change && isOpen(change.state)) await warnOfDelay(one, requestId)
  })
  return due.length
}

/** Somebody has to hear of a change that is open for longer than its vendor may be late. */
async function warnOfDelay(due: DueChange, requestId: string): Promise<void> {
  const { change, vendor, age, isOverdue } = (await readUnsettled(due)) ?? {}
  if (!change || !isOverdue || !isOpen(change.state)) return
  const told = {
    customerId: due.customerId,
    assetId: change.assetId,
    changeId: change.id,
    vendor: vendor?.name,
    state: change.state,
    openSeconds: Math.round((age ?? 0) / 1000),
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
  const assets = await assetsAt(vendor.name)
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
