import { sql } from 'drizzle-orm'
import { bigint, index, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { createdAt, customerId, key, time } from './columns.ts'
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
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.caller, t.key] }),
    index('idempotency_keys_oldest').on(t.customerId, t.createdAt),
  ],
)

export const auditEvents = pgTable(
  'audit_events',
  {
    customerId: customerId().references(() => customers.id),
    id: bigint('id', { mode: 'bigint' }).generatedAlwaysAsIdentity(),
    at: time('at').notNull().default(sql`clock_timestamp()`),
    action: text('action').notNull(),
    subject: text('subject').notNull(),
    actorKind: text('actor_kind').notNull(),
    actorId: text('actor_id').notNull(),
    actorName: text('actor_name').notNull(),
    requestId: text('request_id').notNull(),
    details: jsonb('details').notNull(),
  },
  (t) => [primaryKey({ columns: [t.customerId, t.id] })],
)
