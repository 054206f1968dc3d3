import 'server-only'
import { type SQL, sql } from 'drizzle-orm'
import { builtOnce, value } from '#lib/platform/db/built.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { licenseChanges } from '#lib/platform/db/schema/license-changes.ts'

type Added = (typeof licenseChanges.$inferSelect)[]

/** One that is open, or that was settled at once; each with all values that `insertOne` names. */
export const insertOpen = builtOnce<Added>((tx) => insertOne(tx))
export const insertSettled = builtOnce<Added>((tx) => insertOne(tx, { settledAt: sql`now()` }))

function insertOne(tx: Transaction, more: { settledAt?: SQL } = {}) {
  const values = {
    customerId: value<string>('customerId'),
    id: value<string>('id'),
    assetId: value<string>('assetId'),
    vendorSubscriptionId: value<string>('vendorSubscriptionId'),
    fromQuantity: value<number>('fromQuantity'),
    toQuantity: value<number>('toQuantity'),
    state: value<string>('state'),
    vendorReason: value<string>('vendorReason'),
    actorKind: value<string>('actorKind'),
    actorId: value<string>('actorId'),
    actorName: value<string>('actorName'),
    requestId: value<string>('requestId'),
  }
  return tx
    .insert(licenseChanges)
    .values({ ...values, ...more })
    .returning()
}
