import { sql } from 'drizzle-orm'
import {
  bigint,
  check,
  foreignKey,
  index,
  integer,
  jsonb,
  pgSequence,
  pgTable,
  primaryKey,
  text,
} from 'drizzle-orm/pg-core'
import { createdAt, customerId, day, key, time } from './columns.ts'
import { members } from './customers.ts'

const IS_OPEN = sql.raw(`state in ('WAITING', 'SENDING')`)

/** Order of all messages. */
export const outboxSeq = pgSequence('outbox_seq')

/** Message that is written in the transaction of its cause, and delivered by the worker: a mail or a webhook call. */
export const outbox = pgTable(
  'outbox',
  {
    customerId: customerId(),
    id: key('id').notNull().default(sql`gen_random_uuid()::text`),
    /** Order of the messages; within a lane it is the order of their causes, which hold one row's lock. */
    seq: bigint('seq', { mode: 'number' }).notNull().default(sql`nextval('outbox_seq')`),
    /** Kind, which selects the renderer, the retry policy and the lease. */
    kind: key('kind').notNull(),
    /** Id of the recipient: a member, a link or a webhook endpoint. */
    recipient: key('recipient').notNull(),
    /** Messages of one lane are delivered one after the other; null: independent of all others. */
    lane: key('lane'),
    /** Input of the renderer. */
    content: jsonb('content').notNull().default({}),
    state: text('state').notNull().default('WAITING'),
    /** Number of claims, which also identifies a claim: the outcome of a lost claim is ignored. */
    attempts: integer('attempts').notNull().default(0),
    /** Time until which no process may claim the message; infinity: until its webhook is resumed. */
    notBefore: time('not_before').notNull().default(sql`now()`),
    /** Time of the first failure in a row; null: the last attempt did not fail. */
    failingSince: time('failing_since'),
    /** Reason of the last failure. */
    reason: text('reason'),
    createdAt: createdAt(),
    endedAt: time('ended_at'),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.id] }),
    index('outbox_due').on(t.customerId, t.notBefore).where(IS_OPEN),
    index('outbox_order').on(t.customerId, t.seq).where(IS_OPEN),
    index('outbox_lane').on(t.customerId, t.lane, t.seq).where(IS_OPEN),
    index('outbox_held').on(t.customerId, t.recipient, t.notBefore).where(IS_OPEN).concurrently(),
    index('outbox_recipient').on(t.customerId, t.recipient, t.createdAt, t.id),
    check('outbox_state', sql`${t.state} in ('WAITING', 'SENDING', 'SENT', 'REFUSED', 'UNKNOWN')`),
  ],
)

/** Address that an Admin has registered for events of the customer. */
export const webhookEndpoints = pgTable(
  'webhook_endpoints',
  {
    customerId: customerId(),
    id: key('id').notNull(),
    name: text('name').notNull(),
    url: text('url').notNull(),
    /** Kinds of events; null: all, including later ones. */
    kinds: text('kinds').array(),
    /** Billing profiles of events about invoices; null: all that its Admin may see. */
    billingProfiles: text('billing_profiles').array(),
    /** Admin whose access limits the events. */
    ownerId: key('owner_id').notNull(),
    /** Signing secret, sealed; the former one is valid until `formerUntil`. */
    secret: text('secret').notNull(),
    formerSecret: text('former_secret'),
    formerUntil: time('former_until'),
    /** Null: active. */
    pausedAt: time('paused_at'),
    pauseReason: text('pause_reason'),
    /** Time of the first failed call in a row; null: the last call succeeded. */
    failingSince: time('failing_since'),
    /** Time until which the endpoint is not called after a failure. */
    retryAt: time('retry_at'),
    createdAt: createdAt(),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.id] }),
    foreignKey({ columns: [t.customerId, t.ownerId], foreignColumns: [members.customerId, members.id] }),
    check('webhook_endpoints_paused', sql`(${t.pausedAt} is null) = (${t.pauseReason} is null)`),
    check('webhook_endpoints_reason', sql`${t.pauseReason} in ('BY_ADMIN', 'FAILING', 'ACCESS_LOST')`),
  ],
)

/** Call of a webhook endpoint. */
export const webhookAttempts = pgTable(
  'webhook_attempts',
  {
    customerId: customerId(),
    messageId: key('message_id').notNull(),
    number: integer('number').notNull(),
    at: time('at').notNull(),
    tookMs: integer('took_ms').notNull(),
    /** Address at the time of the call. */
    url: text('url').notNull(),
    /** HTTP status; null: no response, see `reason`. */
    status: integer('status'),
    /** Beginning of the response's body. */
    response: text('response'),
    reason: text('reason'),
  },
  (t) => [
    primaryKey({ columns: [t.customerId, t.messageId, t.number] }),
    foreignKey({
      columns: [t.customerId, t.messageId],
      foreignColumns: [outbox.customerId, outbox.id],
    }).onDelete('cascade'),
  ],
)

/** Event that the daily job has written, so that it is written once. */
export const dailyEvents = pgTable(
  'daily_events',
  {
    customerId: customerId(),
    kind: key('kind').notNull(),
    objectId: key('object_id').notNull(),
    /** Day of the event's cause: the due date of an invoice, or the last day of a key. */
    on: day('on').notNull(),
  },
  (t) => [primaryKey({ columns: [t.customerId, t.kind, t.objectId, t.on] })],
)
