import 'server-only'
import { eq } from 'drizzle-orm'
import type { Transaction } from '#lib/platform/db/client.ts'
import { customerLimits } from '#lib/platform/db/schema/limits.ts'
import type { CustomerId } from '../rules.ts'

/** A customer's own limits; null: that of the settings. */
export type OwnLimits = {
  requests: number | null
  changes: number | null
  exports: number | null
  together: number | null
}

const NONE: OwnLimits = { requests: null, changes: null, exports: null, together: null }

export async function readLimits(tx: Transaction, customerId: CustomerId): Promise<OwnLimits> {
  const { requests, changes, exports, together } = customerLimits
  const rows = await tx
    .select({ requests, changes, exports, together })
    .from(customerLimits)
    .where(eq(customerLimits.customerId, customerId))
  return rows[0] ?? NONE
}

/** Sets those that are given; each process goes by them from the next share on that it takes. */
export async function setLimits(tx: Transaction, customerId: CustomerId, given: Partial<OwnLimits>) {
  await tx
    .insert(customerLimits)
    .values({ customerId, ...given })
    .onConflictDoUpdate({ target: customerLimits.customerId, set: { ...given, customerId } })
}
