import 'server-only'
import { eq } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { customers } from '#lib/platform/db/schema/customers.ts'

/** Whether the customer demands a second factor of each member. */
export async function readDemand(tx: Transaction, customerId: CustomerId): Promise<boolean> {
  const rows = await tx
    .select({ demandsFactor: customers.demandsFactor })
    .from(customers)
    .where(eq(customers.id, customerId))
  return rows[0]?.demandsFactor ?? false
}

/** From the next sign-in on. */
export async function setDemand(tx: Transaction, customerId: CustomerId, demandsFactor: boolean) {
  await tx.update(customers).set({ demandsFactor }).where(eq(customers.id, customerId))
}
