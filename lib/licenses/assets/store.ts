import 'server-only'
import { and, eq, gte, lt, type SQL, sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { builtOnce, value } from '#lib/platform/db/prepared-queries.ts'
import { assets, seatReadings } from '#lib/platform/db/schema/assets.ts'
import { type Cursor, pageByKey } from '#lib/platform/lists/paging.ts'
import type { QuantityState } from './quantity-rule.ts'
import { type AssetSort, keysetOf, micros, type Selection, selected, selectsAll } from './selection.ts'

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
  orderBy?: AssetSort | undefined,
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

/**
 * One asset. With `lock` its row stays locked until the transaction ends: waits 1 s, then 55P03.
 * @param options.unlessOver locks and finds no commitment of more licenses than this: what forbids a decrease waits for nobody
 */
export async function readAsset(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
  { lock = false, unlessOver }: { lock?: boolean; unlessOver?: number | undefined } = {},
): Promise<AssetRow | undefined> {
  const statement = !lock ? oneAsset : unlessOver === undefined ? lockedAsset : lockedUnlessOver
  const rows = await statement(tx, { customerId, id, quantity: unlessOver })
  return rows[0]
}

const oneAsset = builtOnce<AssetRow[]>((tx) => selectOne(tx))
const lockedAsset = builtOnce<AssetRow[]>((tx) => selectOne(tx).for('no key update'))
const lockedUnlessOver = builtOnce<AssetRow[]>((tx) => {
  const isOver = sql`${assets.isCommitmentPlan} and ${assets.seatsPurchased} > ${value('quantity')}`
  return selectOne(tx, sql`(${isOver}) is not true`).for('no key update')
})

function selectOne(tx: Transaction, more?: SQL) {
  return tx
    .select()
    .from(assets)
    .where(and(eq(assets.customerId, value('customerId')), eq(assets.id, value('id')), more))
}

/**
 * Returns the same row as one that has licenses.
 * @throws Error where it has none, which the caller has ruled out
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

const summaryColumns = {
  id: assets.id,
  type: assets.type,
  name: assets.name,
  seatsPurchased: assets.seatsPurchased,
}

/** What a list shows of an asset; `micros` and `sort` are as in `ListRow`. */
export type AssetSummaryRow = {
  asset: Pick<AssetRow, keyof typeof summaryColumns>
  micros: string
  sort?: string | undefined
}

/** A page as `listAssets` reads it, with what a list shows of each asset, and no more: nothing else is read as often. */
export async function listAssetSummaries(
  tx: Transaction,
  customerId: CustomerId,
  ...page: Page
): Promise<AssetSummaryRow[]> {
  const [selection, limit, cursor, orderBy] = page
  if (orderBy || !selectsAll(selection)) return selectSummaries(tx, customerId, page)
  const [micros, id] = cursor?.key ?? []
  return pages[cursor?.direction ?? 'first'](tx, { customerId, limit, micros, id })
}

/** The pages of all assets: most calls ask for no others. */
const pages = { first: anyPage(), older: anyPage('older'), newer: anyPage('newer') }

function anyPage(direction?: Cursor['direction']) {
  const cursor = direction && { direction, key: [value<string>('micros'), value<string>('id')] }
  return builtOnce<AssetSummaryRow[]>((tx) =>
    selectSummaries(tx, value('customerId'), [{}, value<number>('limit'), cursor]),
  )
}

function selectSummaries(tx: Transaction, customerId: CustomerId, page: Page) {
  const { keys, where, order, limit } = pageClauses(customerId, page)
  return tx
    .select({ asset: summaryColumns, ...keys })
    .from(assets)
    .where(where)
    .orderBy(order)
    .limit(limit)
}

type Seats = { purchased: number; maximum: number; assigned: number }

/** State of a subscription for the checks of a change, with the current seats. */
export type LicenseState = QuantityState & { seats: Seats }

/** Returns the state of an asset for the checks of a change; without a `quantityState` for types without licenses. */
export function assetStateOf(row: AssetRow): {
  seatVersion: number
  quantityState: LicenseState | undefined
} {
  const { seatVersion } = row
  if (!hasLicenses(row)) return { seatVersion, quantityState: undefined }
  const { status, isCommitmentPlan, commitmentEnd, seatsPurchased: purchased } = row
  const seats = { purchased, maximum: row.seatsMaximum, assigned: row.seatsAssigned }
  const quantityState = {
    status,
    isCommitmentPlan,
    purchased,
    commitmentEnd: commitmentEnd?.getTime(),
    seats,
  }
  return { seatVersion, quantityState }
}

/** Writes the seats that the vendor confirmed; the seat version moves. The row must be locked. */
export async function setSeats(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
  seats: Seats,
): Promise<AssetRow> {
  const { purchased, maximum, assigned } = seats
  const rows = await seatsSet(tx, { customerId, id, purchased, maximum, assigned })
  return rows[0] as AssetRow
}

const seatsSet = builtOnce<AssetRow[]>((tx) =>
  tx
    .update(assets)
    .set({
      seatsPurchased: value<number>('purchased'),
      seatsMaximum: value<number>('maximum'),
      seatsAssigned: value<number>('assigned'),
      seatVersion: sql`${assets.seatVersion} + 1`,
    })
    .where(and(eq(assets.customerId, value('customerId')), eq(assets.id, value('id'))))
    .returning(),
)

const VERSIONED = ['seatsPurchased', 'seatsMaximum', 'planName', 'isCommitmentPlan', 'status'] as const

type Versioned = Pick<AssetRow, (typeof VERSIONED)[number]>

/** Returns whether the seat version changes: with purchased seats, plan and status, never with assigned seats. */
export function movesVersion(stored: Versioned, values: Versioned): boolean {
  return VERSIONED.some((field) => stored[field] !== values[field])
}

/** Stores the vendor's observation; `moves`: the seat version changes. The row must be locked. */
export async function setObserved(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
  { values, moves }: { values: Partial<LicensedRow>; moves: boolean },
): Promise<LicensedRow> {
  const rows = await tx
    .update(assets)
    .set({
      ...values,
      ...(moves ? { seatVersion: sql`${assets.seatVersion} + 1` } : {}),
    })
    .where(and(eq(assets.customerId, customerId), eq(assets.id, id)))
    .returning()
  return rows[0] as LicensedRow
}

/** Purchased and assigned seats from a time on. */
export type SeatSample = { at: Date; purchased: number; assigned: number }

type NewSeatSample = Omit<SeatSample, 'at'> & { assetId: string }

/** Notes what the seats of some assets are from now on: a few hundred at most. */
export async function addSeatSamples(
  tx: Transaction,
  customerId: CustomerId,
  samples: readonly NewSeatSample[],
): Promise<void> {
  const [only] = samples
  if (only && samples.length === 1) await oneAdded(tx, { customerId, ...only })
  else if (only) await addAll(tx, customerId, samples)
}

/** What a change of licenses adds. */
const oneAdded = builtOnce<unknown>((tx) =>
  tx.insert(seatReadings).values({
    customerId: value('customerId'),
    assetId: value('assetId'),
    purchased: value('purchased'),
    assigned: value('assigned'),
  }),
)

async function addAll(tx: Transaction, customerId: CustomerId, samples: readonly NewSeatSample[]) {
  const rows = samples.map(({ assetId, purchased, assigned }) => ({
    customerId,
    assetId,
    purchased,
    assigned,
  }))
  await tx.insert(seatReadings).values(rows)
}

/**
 * What the seats were from `since` on, oldest first: what held at that time, where that is known, else the first
 * reading; then the last one of each day of UTC, for seats may move every hour.
 */
export async function listSeatSamples(
  tx: Transaction,
  customerId: CustomerId,
  assetId: string,
  since: Date,
): Promise<SeatSample[]> {
  const { at, purchased, assigned } = seatReadings
  const assetFilter = and(eq(seatReadings.customerId, customerId), eq(seatReadings.assetId, assetId))
  const fields = { at, purchased, assigned }
  const one = (when: SQL, sort: SQL) =>
    tx.select(fields).from(seatReadings).where(and(assetFilter, when)).orderBy(sort).limit(1)
  const day = sql`date_trunc('day', ${at}, 'UTC')`
  const [before, first, days] = await Promise.all([
    one(lt(at, since), sql`${at} desc`),
    one(gte(at, since), sql`${at}`),
    tx
      .selectDistinctOn([day], fields)
      .from(seatReadings)
      .where(and(assetFilter, gte(at, since)))
      .orderBy(day, sql`${at} desc`),
  ])
  return [...(before.length > 0 ? before : first), ...days]
}

/** Retention of samples, for charts and comparisons with invoices. */
const RETENTION = sql`interval '3 years'`
/** In one statement, which has three seconds. */
const MAX_REMOVED = 10_000

/**
 * Removes the customer's readings of long ago, but for the one that held when the time that is kept begins.
 * @returns how many; of very many at most a part
 */
export async function pruneSeatSamples(tx: Transaction, customerId: CustomerId): Promise<number> {
  const { rowCount } = await tx.execute(sql`
    DELETE FROM seat_readings WHERE customer_id = ${customerId} AND (asset_id, at) IN (
      SELECT r.asset_id, r.at FROM seat_readings r
      WHERE r.customer_id = ${customerId} AND r.at < now() - ${RETENTION} AND EXISTS (
        SELECT FROM seat_readings n WHERE n.customer_id = ${customerId} AND n.asset_id = r.asset_id
          AND n.at > r.at AND n.at < now() - ${RETENTION})
      LIMIT ${MAX_REMOVED})`)
  return rowCount ?? 0
}
