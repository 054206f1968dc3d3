import { Problem } from '#lib/platform/api/problem.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { startDatabase } from '#lib/platform/db/start.ts'
import { asOwnerOf, type OwnersWork } from '#lib/server/pruning/as-owner.ts'

type Customers = Parameters<typeof asOwnerOf>[1]

/** Like `asOwnerOf`, but on the database of this command. */
export async function byOwner<T>(customers: Customers, work: (owner: OwnersWork) => Promise<T>): Promise<T> {
  return asOwnerOf((await startDatabase()).direct, customers, work)
}

/** Closing of a customer and end of readability, as UTC days; null: the customer is open. */
export type CustomerClosure = {
  closedAt: string | null
  goneAt: string | null
  isGone: boolean
  /** The customer that has its assets, invoices, members and keys now; null: it has them itself. */
  mergedInto: string | null
}

/** Returns the closure under the lock that excludes parallel changes. */
export async function readCustomerClosure(
  { query }: OwnersWork,
  customerId: CustomerId,
): Promise<CustomerClosure> {
  const [row] = await query<CustomerClosure>(
    `SELECT to_char(closed_at, 'YYYY-MM-DD') AS "closedAt", to_char(gone_at, 'YYYY-MM-DD') AS "goneAt",
       coalesce(gone_at <= now(), false) AS "isGone", merged_into AS "mergedInto"
     FROM customers WHERE id = $1 FOR UPDATE`,
    [customerId],
  )
  if (!row) throw new Problem('not_found', `There is no customer "${customerId}".`)
  return row
}
