import { startDatabase } from '#lib/platform/db/start.ts'
import { asOwnerOf, type OwnersWork } from '#lib/server/owner/as-owner.ts'

type Customers = Parameters<typeof asOwnerOf>[1]

/** The same as `asOwnerOf`, on the database of this command. */
export async function byOwner<T>(customers: Customers, work: (owner: OwnersWork) => Promise<T>): Promise<T> {
  return asOwnerOf((await startDatabase()).direct, customers, work)
}
