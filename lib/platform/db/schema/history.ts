import { sql } from 'drizzle-orm'
import { bigint, index, jsonb, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { bytea, createdAt, customerId, key, time } from './columns.ts'
import { customers } from './customers.ts'

/** Answers kept under a caller's Idempotency-Key, for 24 hours; longer where the answer is not known yet. */
export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    customerId: customerId().references(() => customers.id),
    /** `key:<id>`, `session:<member's id>` or `operator:operator`: callers don't share keys. */
    caller: key('caller').notNull(),
    key: key('key').notNull(),
    fingerprint: text('fingerprint').notNull(),
    /** The change that the request began or joined, until its answer is known. */
    changeId: key('change_id'),
    /** Null until the request is settled, in the same transaction. */
    code: text('code'),
    version: text('version'),
    /** Text, not jsonb: jsonb would reorder the keys, and a replay is equal to the byte. */
    body: text('body'),
    /** The same in a fifth of the bytes, and then no `body`: see `packed` in lib/platform/api/idempotency.ts. */
    packed: bytea('packed'),
    createdAt: createdAt(),
  },
  (t) => [primaryKey({ columns: [t.customerId, t.caller, t.key] })],
)

/**
 * What happened. In months by the id, which is the time in microseconds, or one more than the id before: see the migration
 * `months` and `make_months`. What an older release wrote has small ids, and lies in the first part with all that came before.
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
    /** Of the actor: the beginning of the session's digest, the address, and what the browser calls itself. */
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
 * The chain of a customer's events. Apart from them, so that what an older release wrote is chained by adding rows; in the same
 * months. That no place is taken twice is kept by the lock of the head.
 */
export const auditChain = pgTable(
  'audit_chain',
  {
    customerId: customerId(),
    /** The place in the chain, from 1 on. */
    seq: bigint('seq', { mode: 'number' }).notNull(),
    eventId: bigint('event_id', { mode: 'bigint' }).notNull(),
    /** SHA-256 of the digest before, of what the event says, and of its place and time (lib/platform/history/audit.ts). */
    digest: bytea('digest').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.seq, t.eventId] }),
    uniqueIndex('audit_chain_event').on(t.customerId, t.eventId),
  ],
)

/** Where a customer's chain of audit events ends. */
export const auditHeads = pgTable('audit_heads', {
  customerId: customerId()
    .primaryKey()
    .references(() => customers.id),
  seq: bigint('seq', { mode: 'number' }).notNull(),
  /** The event there, and its time. */
  eventId: bigint('event_id', { mode: 'bigint' }).notNull(),
  at: time('at').notNull(),
  digest: bytea('digest').notNull(),
  /** The place up to which a signed head was given out. */
  toldSeq: bigint('told_seq', { mode: 'number' }).notNull().default(0),
})

/** Where a customer's chain begins since older months were removed: place and digest of the last row that went. */
export const auditClosings = pgTable(
  'audit_closings',
  {
    customerId: customerId().references(() => customers.id),
    seq: bigint('seq', { mode: 'number' }).notNull(),
    digest: bytea('digest').notNull(),
    /** The first moment that was kept. */
    before: time('before').notNull(),
    closedAt: time('closed_at').notNull().default(sql`now()`),
  },
  (t) => [primaryKey({ columns: [t.customerId, t.seq] })],
)

/** How often callers whom nobody knows were refused: by minute and kind, without a row each. */
export const refusedStrangers = pgTable(
  'refused_strangers',
  {
    minute: time('minute').notNull(),
    kind: text('kind').notNull(),
    count: bigint('count', { mode: 'number' }).notNull(),
  },
  (t) => [primaryKey({ columns: [t.minute, t.kind] })],
)
