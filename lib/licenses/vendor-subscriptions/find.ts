import 'server-only'
import { and, eq } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { vendorSubscriptions } from '#lib/platform/db/schema/vendors.ts'
import type { Place } from './store.ts'

/** Where a subscription is kept, also one that its asset was pointed away from. @param id our id of it */
export async function findPlace(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
): Promise<Place | undefined> {
  const { vendor, account: vendorAccount, vendorCustomerId, subscriptionId, skuId } = vendorSubscriptions
  const [place] = await tx
    .select({ vendor, vendorAccount, vendorCustomerId, subscriptionId, skuId })
    .from(vendorSubscriptions)
    .where(and(eq(vendorSubscriptions.customerId, customerId), eq(vendorSubscriptions.id, id)))
  return place
}
