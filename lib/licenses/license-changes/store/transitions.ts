import 'server-only'
import { and, eq, inArray, sql } from 'drizzle-orm'
import type { AssetRow } from '#lib/licenses/assets/store.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { licenseChanges } from '#lib/platform/db/schema/license-changes.ts'
import { type Actor, recordAudit } from '#lib/platform/history/audit.ts'
import { type ChangeState, isOpen } from '../rules.ts'
import { beginAttempt } from './attempts.ts'
import { newChangeId } from './ids.ts'
import { insertOpen, insertSettled } from './insert.ts'

// Every transition of a change and its audit row are written in one transaction, with the asset's row locked first:
// locks in one order.

export type Change = typeof licenseChanges.$inferSelect

type NewChange = {
  asset: Pick<AssetRow, 'id' | 'vendorSubscriptionId'>
  from: number
  to: number
  state: ChangeState
  vendorReason?: string | undefined
  actor: Actor
  requestId: string
}

/** Writes a change and its audit row: a claim, or one that is settled already. */
export async function addLicenseChange(
  tx: Transaction,
  customerId: CustomerId,
  { asset, from, to, state, vendorReason, actor, requestId }: NewChange,
): Promise<Change> {
  const values = {
    customerId,
    id: newChangeId(),
    assetId: asset.id,
    vendorSubscriptionId: asset.vendorSubscriptionId,
    fromQuantity: from,
    toQuantity: to,
    state,
    vendorReason: vendorReason ?? null,
    actorKind: actor.kind,
    actorId: actor.id,
    actorName: actor.name,
    requestId,
  }
  // One round trip; they stand or fall together in any case.
  const [added] = await Promise.all([
    (isOpen(state) ? insertOpen : insertSettled)(tx, values),
    recordTransition(tx, customerId, values, requestId),
  ])
  return added[0] as Change
}

export type Move = {
  from: readonly ChangeState[]
  to: ChangeState
  /** The count that the rule was asked with. */
  fromQuantity?: number | undefined
  vendorReason?: string | undefined
  vendorRequestId?: string | undefined
  /** What the vendor calls the write, where it took an order. */
  pollRef?: string | undefined
  /** Of the request or job that learnt of it. */
  requestId: string
  /** The word for it in the history, and who did it, where these are not the state and who asked for the change. */
  as?: string | undefined
  actor?: Actor | undefined
  /** Why that person did it, for the history alone. */
  why?: string | undefined
  /** Who settles it by hand. */
  settledBy?: string | undefined
}

/**
 * Moves an open change on; undefined where it is not in one of the states `from` any more, such as when its lease
 * ended meanwhile. Then nothing may be concluded, and nothing sent.
 */
export async function moveChange(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
  { from, to, fromQuantity, vendorReason, vendorRequestId, pollRef, settledBy, ...told }: Move,
): Promise<Change | undefined> {
  const rows = await tx
    .update(licenseChanges)
    .set({
      state: to,
      checkedBy: null,
      // What is unknown is as old as its call.
      ...(to === 'UNKNOWN' ? {} : { movedAt: sql`statement_timestamp()` }),
      ...(to === 'SENT' ? { sentAt: sql`least(${licenseChanges.sentAt}, statement_timestamp())` } : {}),
      ...(fromQuantity === undefined ? {} : { fromQuantity }),
      // Why it was unknown for a while stays in the audit history.
      ...(to === 'APPLIED' || vendorReason !== undefined ? { vendorReason: vendorReason ?? null } : {}),
      ...(vendorRequestId === undefined ? {} : { vendorRequestId }),
      ...(pollRef === undefined ? {} : { pollRef }),
      ...(isOpen(to) ? {} : { settledAt: sql`statement_timestamp()`, settledBy: settledBy ?? null }),
    })
    .where(and(own(customerId, id), inArray(licenseChanges.state, [...from])))
    .returning()
  const moved = rows[0]
  if (moved) {
    const { actor, as = moved.state, why = moved.vendorReason, requestId } = told
    const by = actor && { actorKind: actor.kind, actorId: actor.id, actorName: actor.name }
    const event = { ...moved, ...by, state: as, vendorReason: why }
    if (to === 'SENT') await beginAttempt(tx, customerId, event)
    await recordTransition(tx, customerId, event, requestId)
  }
  return moved
}

/** Takes a claim back that turned out to need no call: such a request leaves no change (CONTRACT 4). */
export async function withdrawChange(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
  { why, requestId }: { why: string; requestId: string },
): Promise<void> {
  const claimed = and(own(customerId, id), eq(licenseChanges.state, 'CLAIMED'))
  const [gone] = await tx.delete(licenseChanges).where(claimed).returning()
  if (!gone) return
  await recordTransition(tx, customerId, { ...gone, state: 'withdrawn', vendorReason: why }, requestId)
}

/** One change of a customer. */
export function own(customerId: CustomerId, id: string) {
  return and(eq(licenseChanges.customerId, customerId), eq(licenseChanges.id, id))
}

type Told = Pick<
  Change,
  'id' | 'assetId' | 'fromQuantity' | 'toQuantity' | 'vendorReason' | 'actorKind' | 'actorId' | 'actorName'
> & { state: string; vendorRequestId?: string | null }

/** The audit row of what happened to a change. */
export function recordTransition(tx: Transaction, customerId: CustomerId, change: Told, requestId: string) {
  const { id, assetId, fromQuantity: from, toQuantity: to, vendorReason, vendorRequestId } = change
  const actor = { kind: change.actorKind, id: change.actorId, name: change.actorName } as Actor
  const details = {
    assetId,
    from,
    to,
    ...(vendorReason === null ? {} : { reason: vendorReason }),
    ...(vendorRequestId ? { vendorRequestId } : {}),
  }
  const action = `license-change.${change.state.toLowerCase()}`
  return recordAudit(tx, customerId, { action, subject: id, details, actor, requestId })
}
