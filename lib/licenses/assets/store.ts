import 'server-only'
import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { builtOnce, value } from '#lib/platform/db/built.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { assets } from '#lib/platform/db/schema/assets.ts'
import { pageByKey } from '#lib/platform/lists/keyset.ts'
import type { Cursor } from '#lib/platform/lists/page-token.ts'
import { type Selection, selected } from './list/conditions.ts'
import { type AssetOrder, keysetOf, micros } from './list/order.ts'

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

export function hasLicenses(row: AssetRow): row is LicensedRow {
  return row.seatsPurchased !== null
}

/** `micros` is the time of creation; `sort` what the list is ordered by, where it is by something else. */
export type ListRow = { asset: AssetRow; micros: string; sort?: string | undefined }

/** The sort key of a row, for page tokens. */
export function keyOf(row: {
  asset: Pick<AssetRow, 'id'>
  micros: string
  sort?: string | undefined
}): string[] {
  return [row.sort ?? row.micros, row.asset.id]
}

export type Page = [
  selection: Selection,
  limit: number,
  cursor?: Cursor | undefined,
  orderBy?: AssetOrder | undefined,
]

/** Rows in reading direction from the cursor on: in their order, newest first unless told, or the other way round when it leads back. */
export async function listAssets(tx: Transaction, customerId: CustomerId, ...page: Page): Promise<ListRow[]> {
  const { keys, where, order, limit } = pageClauses(customerId, page)
  return tx
    .select({ asset: assets, ...keys })
    .from(assets)
    .where(where)
    .orderBy(order)
    .limit(limit)
}

/** Which rows a page has and in which order, and what of their sort key is no column. */
export function pageClauses(customerId: CustomerId, [selection, limit, cursor, orderBy]: Page) {
  const { columns, ascending, sort } = keysetOf(orderBy)
  const { beyond, order } = pageByKey(columns, cursor, ascending)
  const where = and(eq(assets.customerId, customerId), ...selected(selection), beyond)
  // Nothing more is read for the usual order: its rows have no `sort`.
  const keys = (sort ? { micros, sort } : { micros }) as { micros: SQL<string>; sort: SQL<string> }
  return { keys, where, order, limit }
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
