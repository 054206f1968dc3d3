import 'server-only'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { billingProfiles, customers } from '#lib/platform/db/schema/customers.ts'

/** Adds the customer with its billing profile `default`, which is named like it. */
export async function addCustomer(
  tx: Transaction,
  customerId: CustomerId,
  given: { name: string; domain: string; contactEmail: string },
): Promise<void> {
  await tx.insert(customers).values({ id: customerId, ...given })
  await tx.insert(billingProfiles).values({ customerId, id: 'default', name: given.name })
}
