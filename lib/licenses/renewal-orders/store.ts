import 'server-only'
import { and, desc, eq, sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { renewalOrders } from '#lib/platform/db/schema/renewals.ts'
import { type Actor, recordAudit } from '#lib/platform/history/audit.ts'
import { recordEvent } from '#lib/platform/outbox/events.ts'
import { mailOrderer } from './mails.ts'
import type { OrderState } from './rules.ts'

// Every writer here has locked the asset's row before: locks in one order.

export type OrderRow = typeof renewalOrders.$inferSelect

const isOrder = (customerId: CustomerId, id: string) =>
  and(eq(renewalOrders.customerId, customerId), eq(renewalOrders.id, id))
const NOW = sql`statement_timestamp()`

/** Returns who ordered it. */
export function ordererOf({ actorKind, actorId, actorName }: OrderRow): Actor {
  return { kind: actorKind as Actor['kind'], id: actorId, name: actorName }
}

/** Returns the newest order of an asset: the active one, where there is one. */
export async function newestOrder(tx: Transaction, customerId: CustomerId, assetId: string) {
  const [newest] = await tx
    .select()
    .from(renewalOrders)
    .where(and(eq(renewalOrders.customerId, customerId), eq(renewalOrders.assetId, assetId)))
    .orderBy(sql`${renewalOrders.state} = 'STANDING' DESC`, desc(renewalOrders.createdAt))
    .limit(1)
  return newest
}

export async function findOrder(tx: Transaction, customerId: CustomerId, id: string) {
  const [order] = await tx.select().from(renewalOrders).where(isOrder(customerId, id))
  return order
}

type NewOrder = OrderNote & Pick<OrderRow, 'id' | 'assetId' | 'termEnd' | 'placedVersion'>
type By = { actor: Actor; requestId: string }

/** Adds an active order. `placedVersion` marks an order in our own books, which is placed immediately. */
export async function addOrder(tx: Transaction, customerId: CustomerId, by: By, order: NewOrder) {
  const isPlaced = order.placedVersion !== null
  const { kind: actorKind, id: actorId, name: actorName } = by.actor
  const [row] = await tx
    .insert(renewalOrders)
    .values({
      ...{ ...order, customerId, actorKind, actorId, actorName, requestId: by.requestId },
      ...{ state: 'STANDING', createdAt: NOW, [isPlaced ? 'placedAt' : 'waitsSince']: NOW },
      // The request that orders it reads the vendor first.
      nextLookAt: isPlaced ? order.termEnd : sql`statement_timestamp() + interval '1 minute'`,
    })
    .returning()
  await recordOrder(tx, customerId, row as OrderRow, { event: 'ordered', ...by })
}

/** `settledBy`: the operator who settles it by hand. */
type Settlement = By & {
  state: Exclude<OrderState, 'STANDING'>
  reason?: string | undefined
  replacedBy?: string | null
  settledBy?: string | null
}

/** Settles an order, and mails the person who ordered it where that person has to know of it. */
export async function settleOrder(
  tx: Transaction,
  customerId: CustomerId,
  order: OrderRow,
  { state, reason, replacedBy = null, settledBy = null, ...by }: Settlement,
): Promise<void> {
  const isUnclear = state === 'UNCLEAR'
  const settledAt = new Date()
  const note = { state, settledAt, reason: reason ?? null, replacedBy, settledBy, waitsSince: null }
  await noteOrder(tx, customerId, order.id, isUnclear ? { ...note, reportedAt: settledAt } : note)
  const isNews = isUnclear || state === 'LOST' || (state === 'REJECTED' && order.placedAt)
  const event = isUnclear ? 'renewal-unclear' : 'renewal-not-done'
  if (isNews) await mailOrderer(tx, customerId, { ...order, ...note }, event)
  const { id: renewalOrderId, assetId } = order
  const ids = { assetId, renewalOrderId }
  if (!isUnclear)
    recordEvent(tx, customerId, { kind: 'renewal_order.completed', object: `asset:${assetId}`, ids })
  if (state !== 'REPLACED')
    await recordOrder(tx, customerId, order, { event: state.toLowerCase(), reason, ...by })
}

/** Makes the order active again that a refused one had replaced: its vendor may have it still. */
export async function restoreReplaced(tx: Transaction, customerId: CustomerId, by: string): Promise<void> {
  const { customerId: customer, replacedBy, state } = renewalOrders
  await tx
    .update(renewalOrders)
    .set({ state: 'STANDING', settledAt: null, replacedBy: null, nextLookAt: NOW })
    .where(and(eq(customer, customerId), eq(replacedBy, by), eq(state, 'REPLACED')))
}

/** Columns of an order that may be updated. */
export type OrderNote = Partial<Omit<OrderRow, 'customerId' | 'id' | 'assetId' | 'createdAt' | 'requestId'>>

export async function noteOrder(tx: Transaction, customerId: CustomerId, id: string, note: OrderNote) {
  await tx.update(renewalOrders).set(note).where(isOrder(customerId, id))
}

/** Adds an event of an order to the history. */
export async function recordOrder(
  tx: Transaction,
  customerId: CustomerId,
  { id, assetId, toQuantity, renewalType, termEnd }: OrderRow,
  { event, reason, ...by }: By & { event: string; reason?: string | undefined },
): Promise<void> {
  const details = {
    ...{ assetId, on: termEnd.toISOString().slice(0, 10) },
    ...(toQuantity === null ? { renewalType } : { to: toQuantity }),
    ...(reason === undefined ? {} : { reason }),
  }
  await recordAudit(tx, customerId, { action: `renewal.${event}`, subject: id, details, ...by })
}
