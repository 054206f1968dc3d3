import 'server-only'
import { and, eq, getTableColumns, inArray, type SQL, sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/access/rules.ts'
import { OPEN_STATES } from '#lib/assets/rules.ts'
import type { Transaction } from '#lib/db/client.ts'
import { licenseChanges } from '#lib/db/schema.ts'
import type { Change } from './license-change.ts'

// In the words of the partial index `license_changes_open`: a parameter could not be proven to match it.
const { customerId: customer, assetId: asset, state } = licenseChanges
export const IS_OPEN = sql`${state} in ${sql.raw(`('${OPEN_STATES.join("', '")}')`)}`

/** The change of this asset whose outcome is still to come: there is one at most. */
export async function openChangeOf(
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

/** An open change beside its asset, and whether it is time to ask what became of it. */
export type OpenBeside = { open: Change | null; isDue: boolean | null }

/**
 * Time to ask: it is unknown and was not asked for in the last `checkMs` milliseconds, or the process that had it is
 * dead.
 */
export function isDue({ checkMs, leaseMs }: { checkMs: number; leaseMs: number }): SQL<boolean | null> {
  const { movedAt, checkedAt } = licenseChanges
  const before = (ms: number) => sql`clock_timestamp() - ${ms}::int * interval '1 millisecond'`
  const last = sql`greatest(${movedAt}, ${checkedAt})`
  return sql`case ${state} when 'UNKNOWN' then ${last} < ${before(checkMs)} else ${movedAt} < ${before(leaseMs)} end`
}

/** Those of some assets that have a change whose outcome is still to come. */
export async function openAssets(tx: Transaction, customerId: CustomerId, ids: string[]): Promise<string[]> {
  const { customerId: customer, assetId: asset, state } = licenseChanges
  const rows = await tx
    .select({ id: asset })
    .from(licenseChanges)
    .where(and(eq(customer, customerId), inArray(asset, ids), inArray(state, [...OPEN_STATES])))
  return rows.map(({ id }) => id)
}

/** A change, and how long ago it was claimed, sent or settled, in milliseconds of the database's clock. */
export async function readChange(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
): Promise<(Change & { age: number }) | undefined> {
  const age = sql<number>`extract(epoch from clock_timestamp() - ${licenseChanges.movedAt})::float8 * 1000`
  const rows = await tx
    .select({ ...getTableColumns(licenseChanges), age })
    .from(licenseChanges)
    .where(own(customerId, id))
  return rows[0]
}

/** Takes the turn to ask the vendor what became of a change: one process at a time, and not too often. */
export async function takeTurn(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
  everyMs: number,
): Promise<boolean> {
  const { checkedAt } = licenseChanges
  const isDue = sql`(${checkedAt} IS NULL OR ${checkedAt} < clock_timestamp() - ${everyMs} * interval '1 millisecond')`
  const rows = await tx
    .update(licenseChanges)
    .set({ checkedAt: sql`clock_timestamp()` })
    .where(and(own(customerId, id), eq(state, 'UNKNOWN'), isDue))
    .returning({ id: licenseChanges.id })
  return rows.length === 1
}

function own(customerId: CustomerId, id: string) {
  return and(eq(customer, customerId), eq(licenseChanges.id, id))
}
