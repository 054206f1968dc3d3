import 'server-only'
import { takeDue } from '#lib/licenses/vendor-readings/subscriptions.ts'
import type { Account } from '#lib/vendors/accounts/account.ts'
import type { RemoteVendor } from '#lib/vendors/vendor.ts'
import { forEach } from './for-each.ts'
import { readOne } from './read-now.ts'

/** Taken at once, so that a process that ends leaves few to others. */
const AT_ONCE = 20

/** An account as rows name it. */
export function accountOf({ name: vendor, account: vendorAccount }: RemoteVendor): Account {
  return { vendor, vendorAccount }
}

/**
 * Reads the subscriptions of an account for whose reading it is time, each by a call of its own, as long as jobs may call.
 * @returns how many were told of
 */
export async function readDue(vendor: RemoteVendor, requestId: string, signal: AbortSignal): Promise<number> {
  let count = 0
  let taken: number
  do {
    if (signal.aborted || (await vendor.spare()) > 0) return count
    const due = await takeDue(accountOf(vendor), AT_ONCE)
    taken = due.length
    await forEach(due, async ({ customerId, assetId }) => {
      if (signal.aborted || (await vendor.spare()) > 0) return
      const reading = await readOne(customerId, assetId, requestId)
      if (reading?.kind === 'read') count += 1
    })
  } while (taken === AT_ONCE)
  return count
}
