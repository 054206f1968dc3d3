import 'server-only'
import { createHash } from 'node:crypto'
import type pg from 'pg'

/** What an event says. Its place, its time and its digest are the chain's. */
export type Entry = {
  customerId: string
  action: string
  subject: string
  actorKind: string
  actorId: string
  actorName: string
  requestId: string
  session: string | null
  address: string | null
  agent: string | null
  details: Record<string, unknown>
}

/** What the first link of a chain follows. */
export const GENESIS = Buffer.alloc(32)

/** SHA-256 of what an event says: of its fields in this order as JSON, the keys of the details in theirs. */
export function contentDigest(entry: Entry): Buffer {
  const { customerId, action, subject, actorKind, actorId, actorName, requestId } = entry
  const { session, address, agent, details } = entry
  const who = [actorKind, actorId, actorName, requestId, session, address, agent]
  return sha256(JSON.stringify([customerId, action, subject, ...who, inOrder(details)]))
}

/** An event's place in the chain, the event's own id, and its time in whole microseconds since 1970. */
export type Place = { seq: number; eventId: string; micros: string }

/** The digest of a link: SHA-256 of the digest before it, of what the event says, and of its place. */
export function linkDigest(before: Buffer, content: Buffer, { seq, eventId, micros }: Place): Buffer {
  return sha256(Buffer.concat([before, content, Buffer.from(`${seq} ${eventId} ${micros}`)]))
}

/** A time as the chain writes it, in SQL. */
export const microsOf = (at: string) => `(extract(epoch FROM ${at}) * 1000000)::bigint`

const NOW = 'coalesce($3::timestamptz, statement_timestamp())'
const NEXT_ID = 'greatest(h.event_id + 1, excluded.event_id)'

/** The digest of a link, in SQL: it is computed where the head is locked. */
const link = (before: string, seq: string, eventId: string, at: string) =>
  `sha256(${before} || $2 || convert_to(${seq} || ' ' || ${eventId} || ' ' || ${microsOf(at)}, 'UTF8'))`

// Statements that leave together, and not one with the others inside, which a database that is spread over several
// machines refuses; nothing in its UPDATEs may be volatile either. An event's id is its time, or one more than the id
// before: in the order of the chain. Named, so that PostgreSQL reads them once for a connection.
const MOVE_HEAD = {
  name: 'audit-head',
  text: `INSERT INTO audit_heads AS h (customer_id, seq, event_id, at, digest)
    VALUES ($1, 1, ${microsOf(NOW)}, ${NOW},
      ${link(`'\\x${GENESIS.toString('hex')}'::bytea`, "'1'", microsOf(NOW), NOW)})
    ON CONFLICT (customer_id) DO UPDATE SET seq = h.seq + 1, event_id = ${NEXT_ID}, at = excluded.at,
      digest = ${link('h.digest', '(h.seq + 1)', NEXT_ID, 'excluded.at')}`,
}

const ADD_EVENT = {
  name: 'audit-event',
  text: `INSERT INTO audit_events (customer_id, id, at, action, subject, actor_kind, actor_id, actor_name, request_id,
      session, address, agent, details)
    OVERRIDING SYSTEM VALUE
    SELECT h.customer_id, h.event_id, h.at, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11::jsonb
    FROM audit_heads h WHERE h.customer_id = $1`,
}

const ADD_LINK = {
  name: 'audit-link',
  text: `INSERT INTO audit_chain (customer_id, seq, event_id, digest)
    SELECT h.customer_id, h.seq, h.event_id, h.digest FROM audit_heads h WHERE h.customer_id = $1`,
}

/**
 * The statements that add an event at the end of its customer's chain. The first one locks the chain's head, which is why
 * all are left to the end of their transaction.
 * @param at when it happened, where that is not now
 */
export function appending(entry: Entry, at?: Date): pg.QueryConfig[] {
  const { customerId, action, subject, actorKind, actorId, actorName, requestId } = entry
  const { session, address, agent, details } = entry
  const who = [actorKind, actorId, actorName, requestId, session, address, agent]
  const move = [customerId, contentDigest(entry), at?.toISOString() ?? null]
  return [
    { ...MOVE_HEAD, values: move },
    { ...ADD_EVENT, values: [customerId, action, subject, ...who, JSON.stringify(details)] },
    { ...ADD_LINK, values: [customerId] },
  ]
}

function sha256(data: string | Buffer): Buffer {
  return createHash('sha256').update(data).digest()
}

/** The same value with the keys of its objects in one order: `jsonb` keeps them in another one than ours. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder)
  if (typeof value !== 'object' || value === null) return value
  const pairs = Object.entries(value).filter(([, one]) => one !== undefined)
  return Object.fromEntries(
    pairs.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, one]) => [key, inOrder(one)]),
  )
}
