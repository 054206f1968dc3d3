import 'server-only'
import type pg from 'pg'
import { contentDigest, type Entry, GENESIS, microsOf } from './chain.ts'

// An import may leave thousands of events. One by one, each of them costs three statements while the head is locked, and
// whatever else the customer changes waits for all of them: longer than it may wait for a lock.

const HOLD_HEAD = {
  name: 'audit-hold-head',
  text: `INSERT INTO audit_heads AS h (customer_id, seq, event_id, at, digest)
    VALUES ($1, 0, ${microsOf('statement_timestamp()')} - 1, statement_timestamp(), '\\x${GENESIS.toString('hex')}')
    ON CONFLICT (customer_id) DO UPDATE SET event_id = greatest(h.event_id, excluded.event_id), at = excluded.at`,
}

const ADD_EVENTS = {
  name: 'audit-events',
  text: `INSERT INTO audit_events (customer_id, id, at, action, subject, actor_kind, actor_id, actor_name, request_id,
      session, address, agent, details)
    OVERRIDING SYSTEM VALUE
    SELECT h.customer_id, h.event_id + e.n, h.at, e.action, e.subject, e."actorKind", e."actorId", e."actorName",
      e."requestId", e.session, e.address, e.agent, e.details
    FROM audit_heads h, json_to_recordset($2::json) AS e (n bigint, action text, subject text, "actorKind" text,
      "actorId" text, "actorName" text, "requestId" text, session text, address text, agent text, details jsonb)
    WHERE h.customer_id = $1`,
}

// The digests of what the events say stand behind each other in $2, 32 bytes each. The function is of the migration
// `chain-links`: it computes each digest from the one before.
const ADD_LINKS = {
  name: 'audit-links',
  text: `INSERT INTO audit_chain (customer_id, seq, event_id, digest)
    SELECT h.customer_id, l.seq, l.event_id, l.digest
    FROM audit_heads h, chain_links(h.digest, h.seq, h.event_id, ${microsOf('h.at')}, $2::bytea) l
    WHERE h.customer_id = $1`,
}

const MOVE_HEAD = {
  name: 'audit-heads',
  text: `UPDATE audit_heads h SET seq = c.seq, event_id = c.event_id, digest = c.digest
    FROM audit_chain c WHERE h.customer_id = $1 AND c.customer_id = $1 AND c.seq = h.seq + $2::bigint
      AND c.event_id = h.event_id + $2::bigint`,
}

/**
 * The statements that add several events of one customer at the end of its chain, in four statements and not in three for
 * each. The rows are those that events added one by one would have, but that all are of one moment.
 * @param entries of one customer: a few hundred at most
 */
export function appendingMany(entries: readonly Entry[]): pg.QueryConfig[] {
  const customerId = entries[0]?.customerId
  const rows = JSON.stringify(entries.map((entry, at) => ({ ...entry, n: at + 1 })))
  return [
    { ...HOLD_HEAD, values: [customerId] },
    { ...ADD_EVENTS, values: [customerId, rows] },
    { ...ADD_LINKS, values: [customerId, Buffer.concat(entries.map(contentDigest))] },
    { ...MOVE_HEAD, values: [customerId, entries.length] },
  ]
}
