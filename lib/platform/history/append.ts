import 'server-only'
import type pg from 'pg'
import { appendingMany } from './append-many.ts'
import { contentDigest, type Entry, GENESIS, microsOf } from './chain.ts'

const NOW = 'coalesce($3::timestamptz, statement_timestamp())'
const NEXT_ID = 'greatest(h.event_id + 1, excluded.event_id)'

/**
 * The digest of a link, in SQL: it is computed where the head is locked. By casts alone, which are immutable where
 * `convert_to` and a number beside `||` are not: the text is of digits and spaces, so that its bytes are what it says.
 */
const link = (before: string, seq: string, eventId: string, micros: string) =>
  `sha256(${before} || $2 || (${seq}::text || ' ' || ${eventId}::text || ' ' || ${micros}::text)::bytea)`

// Statements that leave together, and not one with the others inside, which a database that is spread over several
// machines refuses; in its ON CONFLICT all must be immutable. An event's id is its time, or one more than the id before:
// in the order of the chain. So the id that is offered is the time in microseconds. Named, so that PostgreSQL reads them
// once for a connection.
const MOVE_HEAD = {
  name: 'audit-head',
  text: `INSERT INTO audit_heads AS h (customer_id, seq, event_id, at, digest)
    VALUES ($1, 1, ${microsOf(NOW)}, ${NOW},
      ${link(`'\\x${GENESIS.toString('hex')}'::bytea`, "'1'", microsOf(NOW), microsOf(NOW))})
    ON CONFLICT (customer_id) DO UPDATE SET seq = h.seq + 1, event_id = ${NEXT_ID}, at = excluded.at,
      digest = ${link('h.digest', '(h.seq + 1)', NEXT_ID, 'excluded.event_id')}`,
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

/** An event that is to be added; `at` is when it happened, where that is not now. */
export type Addition = { entry: Entry; at?: Date }

/** From so many events of now on they are added together. */
const MANY = 4
/** So many leave in one statement, which stays far below the 3 s that it may take. */
const PORTION = 500

/**
 * The statements that add events of one customer at the end of its chain. The first one locks the chain's head, which is
 * why all are left to the end of their transaction.
 */
export function appending(additions: readonly Addition[]): pg.QueryConfig[] {
  const customerId = additions[0]?.entry.customerId
  const isAlike = additions.every(({ entry, at }) => entry.customerId === customerId && at === undefined)
  if (!isAlike || additions.length < MANY) return additions.flatMap(one)
  const entries = additions.map(({ entry }) => entry)
  const portions = Math.ceil(entries.length / PORTION)
  return Array.from({ length: portions }, (_, at) => entries.slice(at * PORTION, (at + 1) * PORTION)).flatMap(
    appendingMany,
  )
}

function one({ entry, at }: Addition): pg.QueryConfig[] {
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
