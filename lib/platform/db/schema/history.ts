import { sql } from 'drizzle-orm'
import { bigint, index, jsonb, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { bytea, createdAt, customerId, key, time } from './columns.ts'
import { customers } from './customers.ts'

/** Answers stored under a caller's Idempotency-Key, for 24 hours; longer while the answer is unknown. */
export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    customerId: customerId().references(() => customers.id),
    /** `key:<id>`, `session:<member's id>` or `operator:operator`: callers don't share keys. */
    caller: key('caller').notNull(),
    key: key('key').notNull(),
    fingerprint: text('fingerprint').notNull(),
    /** Change that the request began or joined, until its answer is known. */
    changeId: key('change_id'),
    /** Null until the request is settled; set in the same transaction. */
    code: text('code'),
    version: text('version'),
    /** Text instead of jsonb, which would reorder the keys: a replay is identical byte for byte. */
    body: text('body'),
    /** Body compressed to a fifth, in place of `body`: see `packed` in lib/platform/api/idempotency.ts. */
    packed: bytea('packed'),
    createdAt: createdAt(),
  },
  (t) => [primaryKey({ columns: [t.customerId, t.caller, t.key] })],
)

/** Used confirmations of changes by assistants: each is refused from then on, and removed after it has expired. */
export const usedConfirmations = pgTable(
  'used_confirmations',
  {
    customerId: customerId(),
    id: key('id').notNull(),
    createdAt: createdAt(),
  },
  (t) => [primaryKey({ columns: [t.customerId, t.id] })],
)

/**
 * Audit events. Partitioned by month of the id, which is the time in microseconds, or one more than the previous id:
 * see the migration `months` and `make_months`. Events of older releases have small ids, and are in the first
 * partition.
 */
export const auditEvents = pgTable(
  'audit_events',
  {
    customerId: customerId().references(() => customers.id),
    id: bigint('id', { mode: 'bigint' }).notNull().default(sql`nextval('audit_events_ids')`),
    at: time('at').notNull().default(sql`clock_timestamp()`),
    action: text('action').notNull(),
    subject: text('subject').notNull(),
    actorKind: text('actor_kind').notNull(),
    actorId: text('actor_id').notNull(),
    actorName: text('actor_name').notNull(),
    requestId: text('request_id').notNull(),
    details: jsonb('details').notNull(),
    /** Actor's session (beginning of its digest), address and user agent. */
    session: text('session'),
    address: text('address'),
    agent: text('agent'),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.id] }),
    index('audit_events_at').on(t.customerId, t.at, t.id).concurrently(),
  ],
)

/**
 * Hash chain of a customer's events. A separate table, so that events of an older release can be chained by adding
 * rows; partitioned like the events. The lock on the chain head makes positions unique.
 */
export const auditChain = pgTable(
  'audit_chain',
  {
    customerId: customerId(),
    /** Place in the chain, from 1. */
    seq: bigint('seq', { mode: 'number' }).notNull(),
    eventId: bigint('event_id', { mode: 'bigint' }).notNull(),
    /**
     * SHA-256 of the previous digest, of the event's content, and of its place and time
     * (lib/platform/history/audit.ts).
     */
    digest: bytea('digest').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.seq, t.eventId] }),
    uniqueIndex('audit_chain_event').on(t.customerId, t.eventId),
  ],
)

/** Head of a customer's chain of audit events. */
export const auditHeads = pgTable('audit_heads', {
  customerId: customerId()
    .primaryKey()
    .references(() => customers.id),
  seq: bigint('seq', { mode: 'number' }).notNull(),
  /** Event at the head, and its time. */
  eventId: bigint('event_id', { mode: 'bigint' }).notNull(),
  at: time('at').notNull(),
  digest: bytea('digest').notNull(),
  /** Place of the latest signed head that was published. */
  toldSeq: bigint('told_seq', { mode: 'number' }).notNull().default(0),
})

/** Start of a customer's chain after older months were removed: place and digest of the last removed row. */
export const auditClosings = pgTable(
  'audit_closings',
  {
    customerId: customerId().references(() => customers.id),
    seq: bigint('seq', { mode: 'number' }).notNull(),
    digest: bytea('digest').notNull(),
    /** Time of the earliest stored event. */
    before: time('before').notNull(),
    closedAt: time('closed_at').notNull().default(sql`now()`),
  },
  (t) => [primaryKey({ columns: [t.customerId, t.seq] })],
)

/** Counts of refused unauthenticated requests, by minute and kind instead of a row each. */
export const refusedStrangers = pgTable(
  'refused_strangers',
  {
    minute: time('minute').notNull(),
    kind: text('kind').notNull(),
    count: bigint('count', { mode: 'number' }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.minute, t.kind] })],
)
