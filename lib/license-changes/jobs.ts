import 'server-only'
import { dueChanges } from '#lib/access/due-work.ts'
import type { CustomerId } from '#lib/access/rules.ts'
import { readAsset } from '#lib/assets/store.ts'
import { readScope } from '#lib/db/scope.ts'
import { env } from '#lib/env.ts'
import { log } from '#lib/log.ts'
import { remoteVendors, vendorOf } from '#lib/vendors/vendors.ts'
import { readDue } from './reading/due.ts'
import { forEach } from './reading/for-each.ts'
import { readList } from './reading/pass.ts'
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
 * Reads what is due of all vendors' accounts that are set up, and goes on with their lists.
 * @param signal when to leave the rest to the next run
 * @returns how many assets were told of
 * @throws AggregateError of the accounts that could not be read; what was read of them is kept
 */
export async function readVendors(requestId: string, signal = new AbortController().signal): Promise<number> {
  let count = 0
  await forEach(remoteVendors(), async (vendor) => {
    const due = await readDue(vendor, requestId, signal)
    const listed = await readList(vendor, requestId, signal)
    count += due + listed
  })
  return count
}
