import 'server-only'
import { and, eq, inArray, or, type SQL, sql } from 'drizzle-orm'
import { z } from 'zod'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { auditChain, auditEvents } from '#lib/platform/db/schema/history.ts'
import type { Filter } from '#lib/platform/lists/filter.ts'
import { byCreation, type Cursor, pageByKey } from '#lib/platform/lists/paging.ts'
import { actionsOf } from './rules.ts'

export type EventSelection = {
  filter?: Filter<'kind' | 'action' | 'actor' | 'subject' | 'asset'> | undefined
  /** In milliseconds since 1970, both inclusive. */
  minCreationTime?: number | undefined
  maxCreationTime?: number | undefined
}

export type EventRow = Awaited<ReturnType<typeof listEvents>>[number]

const { id, at, action, subject, actorKind, actorId, actorName, requestId } = auditEvents
const { session, address, agent } = auditEvents
const { columns, micros } = byCreation(at, id)
const listedColumns = {
  id: sql<string>`${id}::text`,
  micros,
  at,
  action,
  subject,
  actorKind,
  actorId,
  actorName,
  requestId,
  session,
  address,
  agent,
  details: sql<Record<string, string | number | string[] | null>>`${auditEvents.details}`,
  seq: auditChain.seq,
  digest: sql<string | null>`encode(${auditChain.digest}, 'hex')`,
}
const ITS_LINK = and(eq(auditChain.customerId, auditEvents.customerId), eq(auditChain.eventId, id))

/** Time in microseconds and id of an event, as in page tokens: numbers within PostgreSQL's range. */
export const EventKey = z.tuple([z.string().regex(/^\d{1,17}$/), z.string().regex(/^\d{1,18}$/)])

export function keyOfEvent({ micros, id }: Pick<EventRow, 'micros' | 'id'>): string[] {
  return [micros, id]
}

/** Lists events in reading direction from the cursor: newest first, or oldest first for a cursor that leads back. */
export async function listEvents(
  tx: Transaction,
  customerId: CustomerId,
  selection: EventSelection,
  { limit, cursor }: { limit: number; cursor?: Cursor | undefined },
) {
  const { beyond, order } = pageByKey(columns, cursor)
  return tx
    .select(listedColumns)
    .from(auditEvents)
    .leftJoin(auditChain, ITS_LINK)
    .where(and(eq(auditEvents.customerId, customerId), ...selected(selection), beyond))
    .orderBy(order)
    .limit(limit)
}

// Latest day that both a JavaScript date and PostgreSQL support.
const LAST = Date.UTC(9999, 11, 31)

function selected({ filter = {}, minCreationTime: min, maxCreationTime: max }: EventSelection) {
  return [
    filter.kind && ofKinds(filter.kind),
    filter.action && inArray(action, filter.action),
    filter.actor && inArray(actorId, filter.actor),
    filter.subject && inArray(subject, filter.subject),
    filter.asset &&
      or(inArray(subject, filter.asset), inArray(sql`${auditEvents.details} ->> 'assetId'`, filter.asset)),
    min === undefined ? undefined : sql`${at} >= ${timeOf(min)}`,
    // Includes the whole millisecond, because event times are reported in milliseconds.
    max === undefined ? undefined : sql`${at} < ${timeOf(max + 1)}`,
  ]
}

function ofKinds(kinds: readonly string[]): SQL | undefined {
  const { things, actions } = actionsOf(kinds)
  return or(
    things.length > 0 ? inArray(sql`split_part(${action}, '.', 1)`, things) : undefined,
    actions.length > 0 ? inArray(action, actions) : undefined,
  )
}

function timeOf(epochMs: number): SQL {
  return sql`${new Date(Math.min(epochMs, LAST)).toISOString()}::timestamptz`
}

/** Events from which the choices of a filter come. */
const RECENT = 1000

/** Returns the actors of the newest events, by name. */
export async function listRecentActors(
  tx: Transaction,
  customerId: CustomerId,
): Promise<{ id: string; kind: string; name: string }[]> {
  const { rows } = await tx.execute<{ id: string; kind: string; name: string }>(sql`
    SELECT DISTINCT ON (actor_id) actor_id AS id, actor_kind AS kind, actor_name AS name FROM (
      SELECT actor_id, actor_kind, actor_name, at FROM audit_events
      WHERE customer_id = ${customerId} ORDER BY at DESC, id DESC LIMIT ${RECENT}) AS recent
    ORDER BY actor_id, at DESC`)
  return rows.sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** Returns the names of members and keys with these ids. */
export async function listNames(
  tx: Transaction,
  customerId: CustomerId,
  ids: readonly string[],
): Promise<Record<string, string>> {
  const some = sql`${sql.param([...ids])}::text[]`
  const { rows } = await tx.execute<{ id: string; name: string }>(sql`
    SELECT id::text, name FROM members WHERE customer_id = ${customerId} AND id::text = ANY (${some})
    UNION ALL SELECT id::text, name FROM api_keys WHERE customer_id = ${customerId} AND id::text = ANY (${some})`)
  return Object.fromEntries(rows.map(({ id, name }) => [id, name]))
}
