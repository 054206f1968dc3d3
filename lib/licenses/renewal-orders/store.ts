import 'server-only'
import { and, desc, eq, sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { renewalOrders } from '#lib/platform/db/schema/renewals.ts'
import { type Actor, recordAudit } from '#lib/platform/history/audit.ts'
import { tellWhoOrdered } from './mails.ts'
import type { OrderState, Wanted } from './rules.ts'

// Whoever writes here has locked the asset's row before: locks in one order.
export type OrderRow = typeof renewalOrders.$inferSelect

const own = (customerId: CustomerId, id: string) =>
  and(eq(renewalOrders.customerId, customerId), eq(renewalOrders.id, id))
const NOW = sql`statement_timestamp()`

/** What an order says. */
export function wantedOf({ toQuantity, renewalType }: Pick<OrderRow, 'toQuantity' | 'renewalType'>): Wanted {
  return toQuantity === null ? { renewalType: renewalType ?? '' } : { quantity: toQuantity }
}

/** The newest order of an asset: the one that stands is the newest. */
export async function newestOrder(
  tx: Transaction,
  customerId: CustomerId,
  assetId: string,
): Promise<OrderRow | undefined> {
  const rows = await tx
    .select()
    .from(renewalOrders)
    .where(and(eq(renewalOrders.customerId, customerId), eq(renewalOrders.assetId, assetId)))
    .orderBy(sql`${renewalOrders.state} = 'STANDING' DESC`, desc(renewalOrders.createdAt))
    .limit(1)
  return rows[0]
}

/** The order, where it stands. */
export async function standingOrder(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
): Promise<OrderRow | undefined> {
  const stands = and(own(customerId, id), eq(renewalOrders.state, 'STANDING'))
  return (await tx.select().from(renewalOrders).where(stands))[0]
}

type NewOrder = {
  id: string
  assetId: string
  wanted: Wanted
  vendorSubscriptionId: string | null
  former: Pick<OrderRow, 'formerType' | 'formerQuantity' | 'heldType' | 'heldQuantity' | 'unclearUntil'>
  termEnd: Date
  /** Books of our own have it at once. */
  placedVersion: number | undefined
  actor: Actor
  requestId: string
}

export async function addOrder(tx: Transaction, customerId: CustomerId, order: NewOrder): Promise<OrderRow> {
  const { id, assetId, wanted, vendorSubscriptionId, former, termEnd, placedVersion, actor, requestId } =
    order
  const isPlaced = placedVersion !== undefined
  const rows = await tx
    .insert(renewalOrders)
    .values({
      customerId,
      id,
      assetId,
      toQuantity: 'quantity' in wanted ? wanted.quantity : null,
      renewalType: 'renewalType' in wanted ? wanted.renewalType : null,
      vendorSubscriptionId,
      ...former,
      termEnd,
      state: 'STANDING',
      placedAt: isPlaced ? NOW : null,
      placedVersion: placedVersion ?? null,
      // Whoever ordered it tells the vendor first.
      nextLookAt: isPlaced ? termEnd : sql`statement_timestamp() + interval '1 minute'`,
      actorKind: actor.kind,
      actorId: actor.id,
      actorName: actor.name,
      requestId,
      createdAt: NOW,
    })
    .returning()
  const added = rows[0] as OrderRow
  await recordOrder(tx, customerId, added, { as: 'ordered', actor, requestId })
  return added
}

type Settled = { reason?: string | undefined; replacedBy?: string; actor: Actor; requestId: string }

/** Ends an order that stands. Whoever orders is told of a refusal at once, and else by mail. */
export async function settleOrder(
  tx: Transaction,
  customerId: CustomerId,
  order: OrderRow,
  state: Exclude<OrderState, 'STANDING'>,
  { reason, replacedBy, ...by }: Settled,
): Promise<void> {
  const settled = { state, settledAt: NOW, reason: reason ?? null, replacedBy: replacedBy ?? null }
  await tx.update(renewalOrders).set(settled).where(own(customerId, order.id))
  if (state === 'LOST' || (state === 'REJECTED' && order.placedAt))
    await tellWhoOrdered(tx, customerId, order.id, 'renewal-not-done')
  if (state !== 'REPLACED')
    await recordOrder(tx, customerId, order, { as: state.toLowerCase(), reason, ...by })
}

/** The order whose place a refused one had taken stands again, as its vendor has it still. */
export async function restoreReplaced(tx: Transaction, customerId: CustomerId, by: string): Promise<void> {
  const { customerId: customer, replacedBy, state } = renewalOrders
  await tx
    .update(renewalOrders)
    .set({ state: 'STANDING', settledAt: null, replacedBy: null })
    .where(and(eq(customer, customerId), eq(replacedBy, by), eq(state, 'REPLACED')))
}

export type OrderNote = Partial<
  Pick<OrderRow, 'termEnd' | 'placedAt' | 'placedVersion' | 'reason' | 'tries' | 'nextLookAt'> &
    Pick<OrderRow, 'heldQuantity' | 'heldType' | 'unclearUntil'> &
    Pick<OrderRow, 'takenBackAt' | 'takenBackByKind' | 'takenBackById' | 'takenBackByName'>
>

/** Notes something of an order that stands. */
export async function noteOrder(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
  note: OrderNote,
): Promise<void> {
  await tx.update(renewalOrders).set(note).where(own(customerId, id))
}

type Told = { as: string; reason?: string | undefined; actor: Actor; requestId: string }
async function recordOrder(
  tx: Transaction,
  customerId: CustomerId,
  order: OrderRow,
  { as, reason, actor, requestId }: Told,
): Promise<void> {
  const { id, assetId, toQuantity, renewalType, termEnd } = order
  const details = {
    assetId,
    ...(toQuantity === null ? { renewalType } : { to: toQuantity }),
    on: termEnd.toISOString().slice(0, 10),
    ...(reason === undefined ? {} : { reason }),
  }
  await recordAudit(tx, customerId, { action: `renewal.${as}`, subject: id, details, actor, requestId })
}
