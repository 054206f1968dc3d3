import 'server-only'
import { and, eq, inArray, or, type SQL, sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/access/rules.ts'
import { builtOnce, value } from '#lib/db/built.ts'
import type { Transaction } from '#lib/db/client.ts'
import { assets } from '#lib/db/schema/assets.ts'
import type { Filter } from '#lib/lists/filter.ts'
import { byCreation, pageByKey } from '#lib/lists/keyset.ts'
import type { Cursor } from '#lib/lists/page-token.ts'
import { hasPart } from '#lib/lists/search.ts'

export type AssetRow = typeof assets.$inferSelect
/** An asset with licenses: all that a subscription needs is there (a CHECK holds it). */
export type LicensedRow = AssetRow & {
  [K in
    | 'subscriptionId'
    | 'skuId'
    | 'skuName'
    | 'billingMethod'
    | 'status'
    | 'planName'
    | 'isCommitmentPlan'
    | 'seatsPurchased'
    | 'seatsMaximum'
    | 'seatsAssigned']: NonNullable<AssetRow[K]>
}
export type Selection = { filter?: Filter<'type'> | undefined; search?: string | undefined }

export function hasLicenses(row: AssetRow): row is LicensedRow {
  return row.seatsPurchased !== null
}

const BY_CREATION = byCreation(assets.createdAt, assets.id)

/** `micros` is the time of creation, half of the sort key. */
export type ListRow = { asset: AssetRow; micros: string }

/** The sort key of a row, for page tokens. */
export function keyOf(row: { asset: Pick<AssetRow, 'id'>; micros: string }): string[] {
  return [row.micros, row.asset.id]
}

export type Page = [selection: Selection, limit: number, cursor?: Cursor | undefined]

/** Rows in reading direction from the cursor on: newest first, or oldest first when it leads back. */
export async function listAssets(tx: Transaction, customerId: CustomerId, ...page: Page): Promise<ListRow[]> {
  const { micros, where, order, limit } = pageClauses(customerId, page)
  return tx.select({ asset: assets, micros }).from(assets).where(where).orderBy(order).limit(limit)
}

/** Which rows a page has and in which order, and the half of their sort key that is no column. */
export function pageClauses(customerId: CustomerId, [selection, limit, cursor]: Page) {
  const { columns, micros } = BY_CREATION
  const { beyond, order } = pageByKey(columns, cursor)
  const where = and(eq(assets.customerId, customerId), ...selected(selection), beyond)
  return { micros, where, order, limit }
}

/** How many assets of each type the selection holds, by type. */
export async function countAssets(tx: Transaction, customerId: CustomerId, selection: Selection) {
  return tx
    .select({ type: assets.type, count: sql<number>`count(*)::int` })
    .from(assets)
    .where(and(eq(assets.customerId, customerId), ...selected(selection)))
    .groupBy(assets.type)
    .orderBy(assets.type)
}

function selected({ filter, search }: Selection): SQL[] {
  const conditions: SQL[] = []
  if (filter?.type) conditions.push(inArray(assets.type, filter.type))
  if (search) {
    const found = or(...[assets.name, assets.customerDomain, assets.id].map((text) => hasPart(text, search)))
    if (found) conditions.push(found)
  }
  return conditions
}

/** One asset. With `lock` its row stays locked until the transaction ends: waits 1 s, then 55P03. */
export async function readAsset(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
  { lock = false } = {},
): Promise<AssetRow | undefined> {
  const rows = await (lock ? lockedAsset : oneAsset)(tx, { customerId, id })
  return rows[0]
}

const oneAsset = builtOnce<AssetRow[]>(selectOne)
const lockedAsset = builtOnce<AssetRow[]>((tx) => selectOne(tx).for('no key update'))

function selectOne(tx: Transaction) {
  return tx
    .select()
    .from(assets)
    .where(and(eq(assets.customerId, value('customerId')), eq(assets.id, value('id'))))
}

/**
 * The same row, as one that has licenses.
 * @throws Error where it has none, which whoever asks has ruled out
 */
export function licensed(row: AssetRow): LicensedRow {
  if (!hasLicenses(row)) throw new Error(`The asset ${row.id} has no licenses.`)
  return row
}

/** The asset of a change, locked. Assets are never deleted, and keep their licenses while they have any. */
export async function lockLicensed(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
): Promise<LicensedRow> {
  const row = await readAsset(tx, customerId, id, { lock: true })
  if (!row) throw new Error(`The asset ${id} is not there any more.`)
  return licensed(row)
}
