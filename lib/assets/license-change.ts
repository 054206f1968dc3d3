import 'server-only'
import { randomUUID } from 'node:crypto'
import { and, eq, inArray, type SQL, sql } from 'drizzle-orm'
import type { Actor } from '#lib/access/audit.ts'
import type { CustomerId } from '#lib/access/rules.ts'
import type { Filter } from '#lib/api/filter.ts'
import type { Cursor } from '#lib/api/page-token.ts'
import type { Transaction } from '#lib/db/client.ts'
import { assets, licenseChanges } from '#lib/db/schema.ts'

/** A requested quantity and its fate, in the transaction that settles it. */
export async function addLicenseChange(
  tx: Transaction,
  customerId: CustomerId,
  change: {
    id?: string
    assetId: string
    from: number
    to: number
    state: 'APPLIED' | 'REJECTED'
    vendorReason?: string | undefined
    actor: Actor
    requestId: string
  },
): Promise<string> {
  const { id = randomUUID(), assetId, state, vendorReason, actor, requestId } = change
  await tx.insert(licenseChanges).values({
    ...{ customerId, id, assetId, state, requestId },
    fromQuantity: change.from,
    toQuantity: change.to,
    vendorReason: vendorReason ?? null,
    actorKind: actor.kind,
    actorId: actor.id,
    actorName: actor.name,
    settledAt: sql`now()`,
  })
  return id
}

/** Who changed the seats last, and when. */
export async function lastChange(tx: Transaction, customerId: CustomerId, assetId: string) {
  const own = and(eq(licenseChanges.customerId, customerId), eq(licenseChanges.assetId, assetId))
  const rows = await tx
    .select()
    .from(licenseChanges)
    .where(and(own, eq(licenseChanges.state, 'APPLIED')))
    .orderBy(sql`${licenseChanges.createdAt} desc`)
    .limit(1)
  return rows[0]
}

export type ChangeRow = {
  change: typeof licenseChanges.$inferSelect
  assetName: string
  type: string
  /** Creation time in whole microseconds, which a Date would cut: half of the sort key. */
  micros: string
}
export type ChangeSelection = {
  filter?: Filter<'asset' | 'state'> | undefined
  /** Epoch milliseconds, both inclusive. */
  minCreationTime?: number | undefined
  maxCreationTime?: number | undefined
}

/** The sort key of a change, for page tokens. */
export function keyOfChange({ micros, change }: ChangeRow): string[] {
  return [micros, change.id]
}

/** Changes in reading direction from the cursor on: newest first, or oldest first when it leads back. */
export async function listLicenseChanges(
  tx: Transaction,
  customerId: CustomerId,
  selection: ChangeSelection,
  limit: number,
  cursor?: Cursor,
): Promise<ChangeRow[]> {
  const { createdAt, id } = licenseChanges
  const back = cursor?.direction === 'newer'
  const [micros, last] = cursor?.key ?? []
  const from = sql`(timestamptz 'epoch' + ${micros}::bigint * interval '1 microsecond', ${last})`
  const beyond = cursor && sql`(${createdAt}, ${id}) ${back ? sql`>` : sql`<`} ${from}`
  const direction = back ? sql`asc` : sql`desc`
  const asset = and(eq(assets.customerId, licenseChanges.customerId), eq(assets.id, licenseChanges.assetId))
  return tx
    .select({
      change: licenseChanges,
      assetName: assets.name,
      type: assets.type,
      micros: sql<string>`(extract(epoch from ${createdAt}) * 1000000)::bigint::text`,
    })
    .from(licenseChanges)
    .innerJoin(assets, asset)
    .where(and(eq(licenseChanges.customerId, customerId), ...selected(selection), beyond))
    .orderBy(sql`${createdAt} ${direction}, ${id} ${direction}`)
    .limit(limit)
}

// What both a JavaScript date and PostgreSQL can name.
const LAST = Date.UTC(9999, 11, 31)

function selected({ filter, minCreationTime: min, maxCreationTime: max }: ChangeSelection): SQL[] {
  const { createdAt } = licenseChanges
  const conditions = [
    filter?.asset && inArray(licenseChanges.assetId, filter.asset),
    filter?.state && inArray(licenseChanges.state, filter.state),
    min === undefined ? undefined : sql`${createdAt} >= ${timeOf(min)}`,
    // All of its millisecond: that is how finely a change's time is told.
    max === undefined ? undefined : sql`${createdAt} < ${timeOf(max + 1)}`,
  ]
  return conditions.filter((condition) => condition !== undefined)
}

function timeOf(epochMs: number): SQL {
  return sql`${new Date(Math.min(epochMs, LAST)).toISOString()}::timestamptz`
}
