import 'server-only'
import { and, eq, getTableColumns, gte, inArray, type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { LicensedRow } from '#lib/licenses/assets/store.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { licenseChanges } from '#lib/platform/db/schema/license-changes.ts'
import { vendorTimes } from '#lib/vendors/settings.ts'
import { OPEN_STATES } from '../rules.ts'
import type { Change } from './transitions.ts'

const { customerId: customer, id: ownId, assetId: asset, state, createdAt } = licenseChanges

// In the words of the partial index `license_changes_open`: a parameter could not be proven to match it.
export const IS_OPEN = sql`${state} in ${sql.raw(`('${OPEN_STATES.join("', '")}')`)}`

/** What moved the seats of an asset. */
export const MOVED_SEATS = ['APPLIED', 'DRIFT', 'RECORDED'] as const

/**
 * A change, how long ago it was claimed, sent or settled, how long since it was sent first (0 where it never was), and
 * how long since somebody began to ask for it who does so still (null where nobody does); in milliseconds of the
 * database's clock.
 */
export async function readChange(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
): Promise<(Change & { age: number; sinceSent: number; askedFor: number | null }) | undefined> {
  const since = (time: SQL | PgColumn) =>
    sql<number>`extract(epoch from statement_timestamp() - ${time})::float8 * 1000`
  const age = since(licenseChanges.movedAt)
  const sinceSent = sql<number>`coalesce(${since(licenseChanges.sentAt)}, 0)`
  const { checkedAt, checkedBy } = licenseChanges
  const askedFor = sql<
    number | null
  >`case when ${state} = 'UNKNOWN' and ${checkedBy} is not null then ${since(checkedAt)} end`
  const rows = await tx
    .select({ ...getTableColumns(licenseChanges), age, sinceSent, askedFor })
    .from(licenseChanges)
    .where(and(eq(customer, customerId), eq(ownId, id)))
  return rows[0]
}

/** The change of this asset that is open: there is one at most. */
export async function findOpenChange(
  tx: Transaction,
  customerId: CustomerId,
  assetId: string,
): Promise<Change | undefined> {
  const rows = await tx
    .select()
    .from(licenseChanges)
    .where(and(eq(customer, customerId), eq(asset, assetId), IS_OPEN))
  return rows[0]
}

/** Those of some assets that have an open change. */
export async function assetsWithOpenChange(
  tx: Transaction,
  customerId: CustomerId,
  ids: string[],
): Promise<string[]> {
  const rows = await tx
    .select({ id: asset })
    .from(licenseChanges)
    .where(and(eq(customer, customerId), inArray(asset, ids), inArray(state, [...OPEN_STATES])))
  return rows.map(({ id }) => id)
}

/**
 * In a statement on changes: whether one is open, and it is time to ask what became of it. It is unknown and was not
 * asked for lately, or the process that had it is dead.
 */
export function isDue(): SQL<boolean | null> {
  const { checkMs, leaseMs } = vendorTimes()
  const { movedAt, checkedAt } = licenseChanges
  const before = (ms: number) => sql`statement_timestamp() - ${ms}::int * interval '1 millisecond'`
  const last = sql`greatest(${movedAt}, ${checkedAt})`
  return sql`case when not (${IS_OPEN}) then false when ${state} = 'UNKNOWN' then ${last} < ${before(checkMs)} else ${movedAt} < ${before(leaseMs)} end`
}

/** The change that moved the seats last. */
export async function lastChange(
  tx: Transaction,
  customerId: CustomerId,
  assetId: string,
): Promise<Change | undefined> {
  const rows = await tx
    .select()
    .from(licenseChanges)
    .where(and(eq(customer, customerId), eq(asset, assetId), inArray(state, MOVED_SEATS)))
    .orderBy(sql`${createdAt} desc`)
    .limit(1)
  return rows[0]
}

/** The changes that moved the seats of a subscription within the last `ms` milliseconds, whatever stood in its asset before. */
export async function changesWithin(
  tx: Transaction,
  customerId: CustomerId,
  { id: assetId, vendorSubscriptionId }: Pick<LicensedRow, 'id' | 'vendorSubscriptionId'>,
  ms: number,
): Promise<Change[]> {
  const since = sql`statement_timestamp() - ${ms} * interval '1 millisecond'`
  const same = sql`${licenseChanges.vendorSubscriptionId} IS NOT DISTINCT FROM ${vendorSubscriptionId}`
  const moved = and(eq(customer, customerId), eq(asset, assetId), same, inArray(state, MOVED_SEATS))
  return tx
    .select()
    .from(licenseChanges)
    .where(and(moved, gte(licenseChanges.settledAt, since)))
}

/** The changes that moved the seats of some assets, newest first, `limit` at most. */
export async function changesOf(
  tx: Transaction,
  customerId: CustomerId,
  assetIds: string[],
  limit: number,
): Promise<Change[]> {
  return tx
    .select()
    .from(licenseChanges)
    .where(and(eq(customer, customerId), inArray(asset, assetIds), inArray(state, MOVED_SEATS)))
    .orderBy(sql`${createdAt} desc`)
    .limit(limit)
}
