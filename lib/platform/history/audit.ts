import 'server-only'
import { createHash } from 'node:crypto'
import { and, eq, sql } from 'drizzle-orm'
import type pg from 'pg'
import type { Caller, CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { deferToCommit } from '#lib/platform/db/prepared-queries.ts'
import { auditEvents } from '#lib/platform/db/schema/history.ts'
import { requestContext } from '#lib/platform/runtime/log.ts'

/** Who did it, as history shows them: a copy, so that a later change of name rewrites nothing. */
export type Actor = {
  kind: 'key' | 'member' | 'operator' | 'recipient' | 'scim' | 'stranger' | 'vendor'
  id: string
  name: string
}

/** The command line acts under this name. */
export const OPERATOR: Actor = { kind: 'operator', id: 'operator', name: 'Operator' }

/** Who tries to sign in, before it is known who it is. */
export const ANONYMOUS: Actor = { kind: 'stranger', id: 'stranger', name: 'Somebody' }

const KINDS = { key: 'key', session: 'member', scim: 'scim', operator: 'operator' } as const

export function actorOf(caller: Caller): Actor {
  return { kind: KINDS[caller.via], id: caller.id, name: caller.name }
}

export type AuditEvent = {
  /** What happened, as `<thing>.<past verb>`. */
  action: string
  /** Id of the thing that it happened to. */
  subject: string
  actor: Actor
  requestId: string
  details?: Record<string, string | number | string[] | null | undefined>
  /** When it happened, where that is not now: in the invented history of the demo. */
  at?: Date
}

/**
 * Adds a row to the append-only history, in the transaction of what it tells of and as its last words: the head of the
 * customer's chain is locked after everything else. Our role has INSERT and SELECT there and nothing else.
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

/** What a transaction adds so far: it is said together, for each is a row of the same chain. */
const added = new WeakMap<Transaction, Addition[]>()

function addToTheEnd(tx: Transaction, addition: Addition): void {
  const before = added.get(tx)
  if (before) return void before.push(addition)
  const additions = [addition]
  added.set(tx, additions)
  deferToCommit(tx, () => {
    // What comes after belongs to another customer of the same transaction.
    added.delete(tx)
    return appending(additions)
  })
}

/**
 * Address and browser are those of the actor. Where a request of somebody else, or a job, learns what became of what
 * the actor asked for, there are none.
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

/** Text as PostgreSQL keeps it: half a character would come back as another one, and its digest would not fit. */
function whole(text: string): string {
  return text.toWellFormed()
}

/** What happened to a thing, the first first; with the reason, where one was given. */
export async function auditOf(tx: Transaction, customerId: CustomerId, subject: string) {
  const { at, action, actorName, requestId, details, id } = auditEvents
  const reason = sql<string | null>`${details} ->> 'reason'`
  return tx
    .select({ at, action, actorName, requestId, reason })
    .from(auditEvents)
    .where(and(eq(auditEvents.customerId, customerId), eq(auditEvents.subject, subject)))
    .orderBy(id)
}

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
  return sha256(JSON.stringify([customerId, action, subject, ...who, sortKeys(details)]))
}

/** An event's place in the chain, the event's own id, and its time in whole microseconds since 1970. */
export type ChainPosition = { seq: number; eventId: string; micros: string }

/** The digest of a link: SHA-256 of the digest before it, of what the event says, and of its place. */
export function linkDigest(before: Buffer, content: Buffer, { seq, eventId, micros }: ChainPosition): Buffer {
  return sha256(Buffer.concat([before, content, Buffer.from(`${seq} ${eventId} ${micros}`)]))
}

/** A time as the chain writes it, in SQL. */
export const microsOf = (at: string) => `(extract(epoch FROM ${at}) * 1000000)::bigint`

function sha256(data: string | Buffer): Buffer {
  return createHash('sha256').update(data).digest()
}

/** The same value with the keys of its objects in one order: `jsonb` keeps them in another one than ours. */
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
 * The digest of a link, in SQL: it is computed where the head is locked. By casts alone, which are immutable where
 * `convert_to` and a number beside `||` are not: the text is of digits and spaces, so that its bytes are what it says.
 */
const link = (before: string, seq: string, eventId: string, micros: string) =>
  `sha256(${before} || $2 || (${seq}::text || ' ' || ${eventId}::text || ' ' || ${micros}::text)::bytea)`

// Statements that leave together, and not one with the others inside, which a database that is spread over several
// machines refuses; in its ON CONFLICT all must be immutable. An event's id is its time, or one more than the id before:
// in the order of the chain. So the id that is offered is the time in microseconds. Named, so that PostgreSQL reads them
// once for a connection.
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
    { ...ADVANCE_CHAIN_HEAD, values: move },
    { ...ADD_EVENT, values: [customerId, action, subject, ...who, JSON.stringify(details)] },
    { ...ADD_LINK, values: [customerId] },
  ]
}

// An import may leave thousands of events. One by one, each of them costs three statements while the head is locked, and
// whatever else the customer changes waits for all of them: longer than it may wait for a lock.

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

// The digests of what the events say stand behind each other in $2, 32 bytes each. The function is of the migration
// `chain-links`: it computes each digest from the one before.
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
 * The statements that add several events of one customer at the end of its chain, in four statements and not in three for
 * each. The rows are those that events added one by one would have, but that all are of one moment.
 * @param entries of one customer: a few hundred at most
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
