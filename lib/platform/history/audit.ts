import 'server-only'
import { createHash } from 'node:crypto'
import { and, eq, sql } from 'drizzle-orm'
import type pg from 'pg'
import type { Caller, CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { deferToCommit } from '#lib/platform/db/prepared-queries.ts'
import { auditEvents } from '#lib/platform/db/schema/history.ts'
import { requestContext } from '#lib/platform/runtime/log.ts'

/** Actor as shown in history: a copy, unaffected by later changes of the name. */
export type Actor = {
  kind: 'key' | 'member' | 'operator' | 'recipient' | 'scim' | 'stranger' | 'vendor'
  id: string
  name: string
}

/** Actor of the command line. */
export const OPERATOR: Actor = { kind: 'operator', id: 'operator', name: 'Operator' }

/** Actor of a sign-in attempt, before its member is known. */
export const ANONYMOUS: Actor = { kind: 'stranger', id: 'stranger', name: 'Somebody' }

const KINDS = { key: 'key', session: 'member', scim: 'scim', operator: 'operator' } as const

export function actorOf(caller: Caller): Actor {
  return { kind: KINDS[caller.via], id: caller.id, name: caller.name }
}

export type AuditEvent = {
  /** Action, as `<thing>.<past verb>`. */
  action: string
  /** Id of the event's subject. */
  subject: string
  actor: Actor
  requestId: string
  details?: Record<string, string | number | string[] | null | undefined>
  /** Time of the event, if other than now: for the demo's generated history. */
  at?: Date
}

/**
 * Appends an event to the history, in the transaction of the change that it records, as a deferred statement: the head
 * of the customer's chain is locked after all other rows. The app's role has only INSERT and SELECT on the history.
 */
export async function recordAudit(tx: Transaction, customerId: CustomerId, event: AuditEvent): Promise<void> {
  const { action, subject, actor, requestId, details = {}, at } = event
  const entry = {
    customerId,
    action,
    subject: whole(subject),
    actorKind: actor.kind,
    actorId: whole(actor.id),
    actorName: whole(actor.name),
    requestId,
    ...whereFrom(actor),
    details: JSON.parse(
      JSON.stringify(details, (_, value) => (typeof value === 'string' ? whole(value) : value)),
    ),
  }
  addToTheEnd(tx, at ? { entry, at } : { entry })
}

/** Events of each transaction so far: appended together, because they are consecutive links of one chain. */
const added = new WeakMap<Transaction, Addition[]>()

function addToTheEnd(tx: Transaction, addition: Addition): void {
  const before = added.get(tx)
  if (before) return void before.push(addition)
  const additions = [addition]
  added.set(tx, additions)
  deferToCommit(tx, () => {
    // Later events belong to another customer of the same transaction.
    added.delete(tx)
    return appending(additions)
  })
}

/**
 * Returns session, address and user agent if the actor sent the current request; none if another caller's request, or a
 * job, records the outcome of the actor's change.
 */
function whereFrom({ kind, id }: Actor) {
  const here = requestContext()
  if (!here || (kind !== 'stranger' && here.callerId !== id))
    return { session: null, address: null, agent: null }
  const { session = null, address, agent } = here
  return {
    session: kind === 'stranger' ? null : session,
    address,
    agent: agent === null ? null : whole(agent),
  }
}

/** Returns text as PostgreSQL stores it: a lone surrogate would be replaced, and the digest would not match. */
function whole(text: string): string {
  return text.toWellFormed()
}

/** Returns the events of a subject, the oldest first; with the reason, if there was one. */
export async function auditOf(tx: Transaction, customerId: CustomerId, subject: string) {
  const { at, action, actorName, requestId, details, id } = auditEvents
  const reason = sql<string | null>`${details} ->> 'reason'`
  return tx
    .select({ at, action, actorName, requestId, reason })
    .from(auditEvents)
    .where(and(eq(auditEvents.customerId, customerId), eq(auditEvents.subject, subject)))
    .orderBy(id)
}

/** Content of an event. Place, time and digest belong to the chain. */
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

/** Predecessor digest of a chain's first link. */
export const GENESIS = Buffer.alloc(32)

/** Returns the SHA-256 of an event's content: of its fields in this order as JSON, with the details' keys sorted. */
export function contentDigest(entry: Entry): Buffer {
  const { customerId, action, subject, actorKind, actorId, actorName, requestId } = entry
  const { session, address, agent, details } = entry
  const who = [actorKind, actorId, actorName, requestId, session, address, agent]
  return sha256(JSON.stringify([customerId, action, subject, ...who, sortKeys(details)]))
}

/** Event's place in the chain, its id, and its time in whole microseconds since 1970. */
export type ChainPosition = { seq: number; eventId: string; micros: string }

/** Returns the digest of a link: SHA-256 of the previous digest, the event's content, and the link's place. */
export function linkDigest(before: Buffer, content: Buffer, { seq, eventId, micros }: ChainPosition): Buffer {
  return sha256(Buffer.concat([before, content, Buffer.from(`${seq} ${eventId} ${micros}`)]))
}

/** Returns the SQL expression of a time in the chain's format. */
export const microsOf = (at: string) => `(extract(epoch FROM ${at}) * 1000000)::bigint`

function sha256(data: string | Buffer): Buffer {
  return createHash('sha256').update(data).digest()
}

/** Returns the value with its objects' keys sorted: `jsonb` does not keep our order. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (typeof value !== 'object' || value === null) return value
  const pairs = Object.entries(value).filter(([, one]) => one !== undefined)
  return Object.fromEntries(
    pairs.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, one]) => [key, sortKeys(one)]),
  )
}

const NOW = 'coalesce($3::timestamptz, statement_timestamp())'
const NEXT_ID = 'greatest(h.event_id + 1, excluded.event_id)'

/**
 * Returns the SQL expression of a link's digest, computed while the head is locked. It uses only casts, which are
 * immutable, unlike `convert_to` and `||` with a number: the text consists of digits and spaces, so its bytes are
 * unambiguous.
 */
const link = (before: string, seq: string, eventId: string, micros: string) =>
  `sha256(${before} || $2 || (${seq}::text || ' ' || ${eventId}::text || ' ' || ${micros}::text)::bytea)`

// Pipelined statements instead of a nested one, which Citus refuses; in its ON CONFLICT all functions must be
// immutable. An event's id is its time, or one more than the previous id: in the order of the chain. So the proposed id
// is the time in microseconds. Named, so that PostgreSQL parses them once per connection.
const ADVANCE_CHAIN_HEAD = {
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

/** Event to append; `at` is its time if other than now. */
export type Addition = { entry: Entry; at?: Date }

/** Number of current events from which on they are appended by one statement. */
const MANY = 4
/** Events per statement, which keeps it far below its limit of 3 s. */
const PORTION = 500

/**
 * Returns the statements that append events of one customer to its chain. The first one locks the chain's head, so all
 * are deferred to the end of their transaction.
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
    { ...ADVANCE_CHAIN_HEAD, values: move },
    { ...ADD_EVENT, values: [customerId, action, subject, ...who, JSON.stringify(details)] },
    { ...ADD_LINK, values: [customerId] },
  ]
}

// An import may append thousands of events. One by one, each costs three statements while the head is locked, and the
// customer's other changes wait for all of them: longer than the lock timeout.

const LOCK_CHAIN_HEAD = {
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

// $2 holds the content digests of the events, 32 bytes each. The function is from the migration `chain-links`: it
// computes each link's digest from the previous one.
const ADD_LINKS = {
  name: 'audit-links',
  text: `INSERT INTO audit_chain (customer_id, seq, event_id, digest)
    SELECT h.customer_id, l.seq, l.event_id, l.digest
    FROM audit_heads h, chain_links(h.digest, h.seq, h.event_id, ${microsOf('h.at')}, $2::bytea) l
    WHERE h.customer_id = $1`,
}

const MOVE_CHAIN_HEAD_TO_LAST = {
  name: 'audit-heads',
  text: `UPDATE audit_heads h SET seq = c.seq, event_id = c.event_id, digest = c.digest
    FROM audit_chain c WHERE h.customer_id = $1 AND c.customer_id = $1 AND c.seq = h.seq + $2::bigint
      AND c.event_id = h.event_id + $2::bigint`,
}

/**
 * Returns the statements that append several events of one customer to its chain: four in total instead of three per
 * event. The rows equal those of events appended one by one, but share one time.
 * @param entries entries of one customer: a few hundred at most
 */
function appendingMany(entries: readonly Entry[]): pg.QueryConfig[] {
  const customerId = entries[0]?.customerId
  const rows = JSON.stringify(entries.map((entry, at) => ({ ...entry, n: at + 1 })))
  return [
    { ...LOCK_CHAIN_HEAD, values: [customerId] },
    { ...ADD_EVENTS, values: [customerId, rows] },
    { ...ADD_LINKS, values: [customerId, Buffer.concat(entries.map(contentDigest))] },
    { ...MOVE_CHAIN_HEAD_TO_LAST, values: [customerId, entries.length] },
  ]
}
