import 'server-only'
import { randomBytes } from 'node:crypto'
import { and, eq, getTableColumns, gte, inArray, isNull, type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { AssetRow, LicensedRow } from '#lib/licenses/assets/store.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { builtOnce, value } from '#lib/platform/db/prepared-queries.ts'
import { licenseChangeAttempts as attempts, licenseChanges } from '#lib/platform/db/schema/license-changes.ts'
import { type Actor, recordAudit } from '#lib/platform/history/audit.ts'
import { recordChangeEvent } from '#lib/platform/outbox/events.ts'
import { vendorTimes } from '#lib/vendors/settings.ts'
import type { WriteAnswer } from '#lib/vendors/vendor.ts'
import { type ChangeState, eventKindOf, isOpen, OPEN_STATES } from '../rules.ts'

// Each transition of a change and its audit row are written in one transaction, which locks the asset's row first.

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

/** Writes a change and its audit row: a claim, or a change that is settled immediately. */
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
  // One round trip: the statements are pipelined, and the transaction makes them atomic.
  const [added] = await Promise.all([
    (isOpen(state) ? insertOpen : insertResolved)(tx, values),
    recordTransition(tx, customerId, values, requestId),
  ])
  recordChangeEvent(tx, customerId, eventKindOf(state), values)
  return added[0] as Change
}

export type Move = {
  from: readonly ChangeState[]
  to: ChangeState
  /** Total that the check after the read was run with. */
  fromQuantity?: number | undefined
  vendorReason?: string | undefined
  vendorRequestId?: string | undefined
  /** Vendor's reference of the write, if the vendor accepted an order. */
  pollRef?: string | undefined
  /** Id of the request or job that made the transition. */
  requestId: string
  /** Action and actor of the audit event, by default the new state and the requester of the change. */
  as?: string | undefined
  actor?: Actor | undefined
  /** The actor's reason, for the history only. */
  why?: string | undefined
  /** Operator who settles the change by hand. */
  settledBy?: string | undefined
}

/**
 * Moves an open change to another state, with its audit row, in the transaction that stores a settled answer.
 * @returns undefined if the change is no longer in one of the states `from`, for example because its lease has ended;
 * then the caller must neither conclude nor send anything
 */
export async function moveChange(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
  { from, to, fromQuantity, vendorReason, vendorRequestId, pollRef, settledBy, ...transition }: Move,
): Promise<Change | undefined> {
  const rows = await tx
    .update(licenseChanges)
    .set({
      state: to,
      checkedBy: null,
      // The age of an unknown change counts from its call.
      ...(to === 'UNKNOWN' ? {} : { movedAt: sql`statement_timestamp()` }),
      ...(to === 'SENT' ? { sentAt: sql`least(${licenseChanges.sentAt}, statement_timestamp())` } : {}),
      ...(fromQuantity === undefined ? {} : { fromQuantity }),
      // The audit history keeps the reason why the outcome was unknown.
      ...(to === 'APPLIED' || vendorReason !== undefined ? { vendorReason: vendorReason ?? null } : {}),
      ...(vendorRequestId === undefined ? {} : { vendorRequestId }),
      ...(pollRef === undefined ? {} : { pollRef }),
      ...(isOpen(to) ? {} : { settledAt: sql`statement_timestamp()`, settledBy: settledBy ?? null }),
    })
    .where(and(changeFilter(customerId, id), inArray(licenseChanges.state, [...from])))
    .returning()
  const moved = rows[0]
  if (moved) {
    const { actor, as = moved.state, why = moved.vendorReason, requestId } = transition
    const by = actor && { actorKind: actor.kind, actorId: actor.id, actorName: actor.name }
    const event = { ...moved, ...by, state: as, vendorReason: why }
    if (to === 'SENT') await beginAttempt(tx, customerId, event)
    await recordTransition(tx, customerId, event, requestId)
    recordChangeEvent(tx, customerId, eventKindOf(to), moved)
  }
  return moved
}

/** Withdraws a claim that needed no call: such a request leaves no change. */
export async function withdrawChange(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
  { why, requestId }: { why: string; requestId: string },
): Promise<void> {
  const claimed = and(changeFilter(customerId, id), eq(licenseChanges.state, 'CLAIMED'))
  const [withdrawn] = await tx.delete(licenseChanges).where(claimed).returning()
  if (!withdrawn) return
  await recordTransition(tx, customerId, { ...withdrawn, state: 'withdrawn', vendorReason: why }, requestId)
}

/** Returns the condition for one change of a customer. */
export function changeFilter(customerId: CustomerId, id: string) {
  return and(eq(licenseChanges.customerId, customerId), eq(licenseChanges.id, id))
}

type Transition = Pick<
  Change,
  'id' | 'assetId' | 'fromQuantity' | 'toQuantity' | 'vendorReason' | 'actorKind' | 'actorId' | 'actorName'
> & { state: string; vendorRequestId?: string | null }

/** Records a transition of a change in the audit history. */
function recordTransition(tx: Transaction, customerId: CustomerId, change: Transition, requestId: string) {
  const { id, assetId, fromQuantity: from, toQuantity: to, vendorReason, vendorRequestId } = change
  const actor = { kind: change.actorKind, id: change.actorId, name: change.actorName } as Actor
  const details = {
    ...{ assetId, from, to },
    ...(vendorReason === null ? {} : { reason: vendorReason }),
    ...(vendorRequestId ? { vendorRequestId } : {}),
  }
  const action = `license-change.${change.state.toLowerCase()}`
  return recordAudit(tx, customerId, { action, subject: id, details, actor, requestId })
}

type Added = (typeof licenseChanges.$inferSelect)[]

/**
 * Time of the statement, which sorts changes correctly: the transaction may have waited for the asset's lock since its
 * start.
 */
const NOW = sql`now() + (statement_timestamp() - transaction_timestamp())`

/** Inserts an open change, or one that was settled immediately, each with all values that `insertOne` names. */
const insertOpen = builtOnce<Added>((tx) => insertOne(tx))
const insertResolved = builtOnce<Added>((tx) => insertOne(tx, { settledAt: NOW }))

function insertOne(tx: Transaction, more: { settledAt?: SQL } = {}) {
  const values = {
    customerId: value<string>('customerId'),
    id: value<string>('id'),
    assetId: value<string>('assetId'),
    vendorSubscriptionId: value<string>('vendorSubscriptionId'),
    fromQuantity: value<number>('fromQuantity'),
    toQuantity: value<number>('toQuantity'),
    state: value<string>('state'),
    vendorReason: value<string>('vendorReason'),
    actorKind: value<string>('actorKind'),
    actorId: value<string>('actorId'),
    actorName: value<string>('actorName'),
    requestId: value<string>('requestId'),
    createdAt: sql`change_time(${value('customerId')}, ${value('assetId')}, ${value('state')}, ${NOW})`,
  }
  return tx
    .insert(licenseChanges)
    .values({ ...values, ...more })
    .returning()
}

/**
 * Returns the id of a new change: a UUID of version 7 (RFC 9562), which begins with the time, so that the newest rows
 * share a few full pages of the primary key's index. Nothing sorts by the id.
 */
export function newChangeId(now = Date.now()): string {
  const bytes = randomBytes(16)
  bytes.writeUIntBE(now, 0, 6)
  bytes[6] = (bytes.readUInt8(6) & 0x0f) | 0x70
  bytes[8] = (bytes.readUInt8(8) & 0x3f) | 0x80
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/**
 * Stores who has acknowledged an unclear change, with its audit row. The asset's row is locked.
 * @returns whether a row was written: the change is unclear, and was not acknowledged
 */
export async function writeAcknowledgement(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
  { actor, requestId }: { actor: Actor; requestId: string },
): Promise<boolean> {
  const { state, acknowledgedAt } = licenseChanges
  const [change] = await tx
    .update(licenseChanges)
    .set({
      acknowledgedAt: sql`statement_timestamp()`,
      acknowledgedByKind: actor.kind,
      acknowledgedById: actor.id,
      acknowledgedByName: actor.name,
    })
    .where(and(changeFilter(customerId, id), eq(state, 'UNCLEAR'), isNull(acknowledgedAt)))
    .returning()
  if (!change) return false
  const by = { actorKind: actor.kind, actorId: actor.id, actorName: actor.name }
  await recordTransition(tx, customerId, { ...change, ...by, state: 'acknowledged' }, requestId)
  return true
}

const { customerId: customer, id: idColumn, assetId: asset, state, createdAt } = licenseChanges

// Same text as in the partial index `license_changes_open`: PostgreSQL can't prove that a parameter matches the index.
export const OPEN_STATES_SQL = sql.raw(`('${OPEN_STATES.join("', '")}')`)
export const IS_OPEN = sql`${state} in ${OPEN_STATES_SQL}`

/** States of changes that moved the seats of an asset. */
export const MOVED_SEATS = ['APPLIED', 'DRIFT', 'RECORDED'] as const

/**
 * Reads a change with its times, in milliseconds of the database's clock.
 * @returns `age` since the change was claimed, sent or settled; `sinceSent` since it was first sent, or 0; `pollingMs`
 * since the start of the current poll, or null
 */
export async function readChange(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
): Promise<(Change & { age: number; sinceSent: number; pollingMs: number | null }) | undefined> {
  const since = (time: SQL | PgColumn) =>
    sql<number>`extract(epoch from statement_timestamp() - ${time})::float8 * 1000`
  const age = since(licenseChanges.movedAt)
  const sinceSent = sql<number>`coalesce(${since(licenseChanges.sentAt)}, 0)`
  const { checkedAt, checkedBy } = licenseChanges
  const pollingMs = sql<
    number | null
  >`case when ${state} = 'UNKNOWN' and ${checkedBy} is not null then ${since(checkedAt)} end`
  const rows = await tx
    .select({ ...getTableColumns(licenseChanges), age, sinceSent, pollingMs })
    .from(licenseChanges)
    .where(and(eq(customer, customerId), eq(idColumn, id)))
  return rows[0]
}

/** Reads the open change of an asset: at most one exists. */
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

/** Returns the ids of the assets that have an open change. */
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
 * Returns the SQL condition of a change whose reconciliation is due: it is open, and its outcome is unknown and was not
 * polled recently, or the process that held it is dead.
 */
export function isDue(): SQL<boolean | null> {
  const { checkMs, leaseMs } = vendorTimes()
  const { movedAt, checkedAt } = licenseChanges
  const before = (ms: number) => sql`statement_timestamp() - ${ms}::int * interval '1 millisecond'`
  const last = sql`greatest(${movedAt}, ${checkedAt})`
  return sql`case when not (${IS_OPEN}) then false when ${state} = 'UNKNOWN' then ${last} < ${before(checkMs)} else ${movedAt} < ${before(leaseMs)} end`
}

/** Reads the last change that moved the seats; with `to`, the last change to that total. */
export async function lastChange(
  tx: Transaction,
  customerId: CustomerId,
  assetId: string,
  to?: number,
): Promise<Change | undefined> {
  const total = to === undefined ? undefined : eq(licenseChanges.toQuantity, to)
  const rows = await tx
    .select()
    .from(licenseChanges)
    .where(and(eq(customer, customerId), eq(asset, assetId), inArray(state, MOVED_SEATS), total))
    .orderBy(sql`${createdAt} desc`)
    .limit(1)
  return rows[0]
}

/** Returns the changes that moved the seats of a subscription within the last `ms` milliseconds. */
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

/** Returns the changes that moved the seats of the assets, newest first, at most `limit`. */
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

// Calls to vendors, for operators: no response to a customer contains them.

export type Attempt = typeof attempts.$inferSelect

/**
 * Records a call and its initiator before the call leaves, together with the transition to SENT. The asset's row is
 * locked.
 */
async function beginAttempt(
  tx: Transaction,
  customerId: CustomerId,
  { id: changeId, toQuantity: quantity, actorName }: { id: string; toQuantity: number; actorName: string },
): Promise<void> {
  // Two statements: Citus supports no subquery in an INSERT.
  const [{ number } = { number: 1 }] = await tx
    .select({ number: sql<number>`count(*)::int + 1` })
    .from(attempts)
    .where(attemptsFilter(customerId, changeId))
  await tx.insert(attempts).values({ customerId, changeId, quantity, actorName, number })
}

/** Records the result of the latest call. `tookMs`: duration of the call, in milliseconds. */
export async function endAttempt(
  tx: Transaction,
  customerId: CustomerId,
  changeId: string,
  { result, tookMs }: { result: WriteAnswer; tookMs: number },
): Promise<void> {
  const { kind } = result
  const reason = 'reason' in result ? result.reason : null
  const vendorRequestId = 'vendorRequestId' in result ? (result.vendorRequestId ?? null) : null
  const latest = sql`(${tx
    .select({ number: sql`max(${attempts.number})` })
    .from(attempts)
    .where(attemptsFilter(customerId, changeId))})`
  await tx
    .update(attempts)
    .set({ kind, reason, vendorRequestId, tookMs: Math.round(tookMs) })
    .where(and(attemptsFilter(customerId, changeId), eq(attempts.number, latest), isNull(attempts.kind)))
}

/** Returns the calls of a change, oldest first. */
export async function attemptsOf(
  tx: Transaction,
  customerId: CustomerId,
  changeId: string,
): Promise<Attempt[]> {
  return tx.select().from(attempts).where(attemptsFilter(customerId, changeId)).orderBy(attempts.number)
}

function attemptsFilter(customerId: CustomerId, changeId: string) {
  return and(eq(attempts.customerId, customerId), eq(attempts.changeId, changeId))
}
