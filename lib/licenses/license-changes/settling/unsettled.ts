import 'server-only'
import type { DueChange } from '#lib/identity/access/due-work.ts'
import { readAsset } from '#lib/licenses/assets/store.ts'
import { findPlace } from '#lib/licenses/vendor-subscriptions/find.ts'
import type { Place } from '#lib/licenses/vendor-subscriptions/store.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { readScope } from '#lib/platform/db/scope.ts'
import type { GuardedVendor } from '#lib/vendors/breaker.ts'
import { vendorTimes } from '#lib/vendors/settings.ts'
import { vendorOf } from '#lib/vendors/vendors.ts'
import { isOpen } from '../rules.ts'
import { readChange } from '../store/find.ts'
import type { Change } from '../store/transitions.ts'

/** A change that is open or unclear. `isOverdue`: somebody should look at it. */
export type Unsettled = {
  customerId: CustomerId
  change: Change
  vendor: GuardedVendor
  /** What the vendor's own console has to be asked for. */
  place: Place | undefined
  /** Since it was asked for, in milliseconds. */
  age: number
  isOverdue: boolean
  /** Whether an operator may still have it sent again, by what is known without a read. */
  isRepeatable: boolean
}

/**
 * A change that waits for its vendor, or for a person; undefined where it is settled. Overdue is what is unclear and was
 * not acknowledged, and what is open for longer than its vendor may be late.
 */
export async function readUnsettled({ customerId, changeId }: DueChange): Promise<Unsettled | undefined> {
  return readScope({ customerId }, async (tx) => {
    const change = await readChange(tx, customerId, changeId)
    if (!change || !(isOpen(change.state) || change.state === 'UNCLEAR')) return undefined
    const row = await readAsset(tx, customerId, change.assetId)
    const vendor = row && vendorOf(row)
    if (vendor?.books !== 'theirs') return undefined
    const own = change.vendorSubscriptionId
    const place = own === null ? undefined : await findPlace(tx, customerId, own)
    const age = Date.now() - change.createdAt.getTime()
    const isLate = age > Math.max(vendor.settleMs, vendorTimes().leaseMs)
    const isRepeatable = change.state === 'UNKNOWN' && change.sinceSent < (vendor.idempotentWrites ?? 0)
    const isUnclear = change.state === 'UNCLEAR'
    // What its customer has checked waits for nobody.
    const isOverdue = isUnclear ? change.acknowledgedAt === null : isLate
    return { customerId, change, vendor, place, age, isOverdue, isRepeatable }
  })
}
