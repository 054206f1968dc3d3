import 'server-only'
import { randomUUID } from 'node:crypto'
import { and, asc, eq, isNull, or, sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { savedViews } from '#lib/platform/db/schema/views.ts'

export type ViewRow = typeof savedViews.$inferSelect
export type NewView = Pick<ViewRow, 'memberId' | 'name' | 'path' | 'query' | 'isPinned'>

/** Filter for the views of one owner: a member's, or with null the shared ones. */
const ownerFilter = (memberId: string | null) =>
  memberId === null ? isNull(savedViews.memberId) : eq(savedViews.memberId, memberId)
/** Filter for the views that a member sees; without a member (an API key), the shared ones. */
const seenBy = (memberId: string | undefined) =>
  memberId === undefined
    ? isNull(savedViews.memberId)
    : or(isNull(savedViews.memberId), eq(savedViews.memberId, memberId))
const ORDER = [
  asc(savedViews.path),
  sql`${savedViews.memberId} IS NULL`,
  asc(savedViews.position),
  asc(savedViews.createdAt),
  asc(savedViews.id),
]

/** Lists all views that a member sees, own ones first. They are few, so the list is not paged. */
export async function listViews(
  tx: Transaction,
  customerId: CustomerId,
  memberId: string | undefined,
): Promise<ViewRow[]> {
  return tx
    .select()
    .from(savedViews)
    .where(and(eq(savedViews.customerId, customerId), seenBy(memberId)))
    .orderBy(...ORDER)
}

/** Locks a view that the member sees until the transaction ends, and returns it. */
export async function lockView(
  tx: Transaction,
  customerId: CustomerId,
  memberId: string,
  id: string,
): Promise<ViewRow | undefined> {
  const rows = await tx
    .select()
    .from(savedViews)
    .where(and(eq(savedViews.customerId, customerId), eq(savedViews.id, id), seenBy(memberId)))
    .for('no key update')
  return rows[0]
}

/**
 * Locks all views of one owner by ascending id, then reads them in display order. Concurrent additions and moves wait
 * for the locks.
 */
export async function lockViewsOf(
  tx: Transaction,
  customerId: CustomerId,
  memberId: string | null,
): Promise<ViewRow[]> {
  const viewsFilter = and(eq(savedViews.customerId, customerId), ownerFilter(memberId))
  await tx
    .select({ id: savedViews.id })
    .from(savedViews)
    .where(viewsFilter)
    .orderBy(asc(savedViews.id))
    .for('no key update')
  return tx
    .select()
    .from(savedViews)
    .where(viewsFilter)
    .orderBy(...ORDER)
}

/** Adds a view. @returns undefined where its owner has another one of this name */
export async function addView(
  tx: Transaction,
  customerId: CustomerId,
  view: NewView & { position: number },
): Promise<ViewRow | undefined> {
  const rows = await tx
    .insert(savedViews)
    .values({ customerId, id: randomUUID(), ...view })
    .onConflictDoNothing()
    .returning()
  return rows[0]
}

/** Returns whether the owner has another view with this name, ignoring case. */
export async function isNamed(
  tx: Transaction,
  customerId: CustomerId,
  { id, memberId, name }: Pick<ViewRow, 'id' | 'memberId' | 'name'>,
): Promise<boolean> {
  const same = sql`folded(${savedViews.name}) = folded(${name}::text) AND ${savedViews.id} <> ${id}`
  const rows = await tx
    .select({ id: savedViews.id })
    .from(savedViews)
    .where(and(eq(savedViews.customerId, customerId), ownerFilter(memberId), same))
  return rows.length > 0
}

/** Changes fields of a view, and returns it. */
export async function setView(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
  values: Partial<NewView & { position: number }>,
): Promise<ViewRow> {
  const rows = await tx
    .update(savedViews)
    .set(values)
    .where(and(eq(savedViews.customerId, customerId), eq(savedViews.id, id)))
    .returning()
  return rows[0] as ViewRow
}

export async function removeView(tx: Transaction, customerId: CustomerId, id: string): Promise<void> {
  await tx.delete(savedViews).where(and(eq(savedViews.customerId, customerId), eq(savedViews.id, id)))
}
