import 'server-only'
import { randomUUID } from 'node:crypto'
import { type SQL, sql } from 'drizzle-orm'
import type { Caller, CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { outbox } from '#lib/platform/db/schema/outbox.ts'
import { byCreation, type Cursor, pageByKey } from '#lib/platform/lists/paging.ts'
import { type EventKind, TEST_EVENT } from '#lib/platform/outbox/rules.ts'
import { enqueue, removeMessages } from '#lib/platform/outbox/store.ts'
import type { DeliveryState, WebhookStatus } from './rules.ts'

export type WebhookRow = {
  id: string
  name: string
  url: string
  kinds: EventKind[] | null
  billingProfiles: string[] | null
  status: WebhookStatus
  ownerId: string
  ownerName: string | null
  formerUntil: string | null
  failingSince: string | null
  createdAt: string
  waiting: number
}

/** Whether the Admin of endpoint `e`, joined as member `m`, may still sign in as an Admin. */
const HAS_ADMIN = sql`coalesce(m.roles @> '{admin}' AND m.disabled_at IS NULL AND m.removed_at IS NULL
  AND m.invited_at IS NULL, false)`

/** SQL condition that an event has one of these billing profiles, or none. */
const isVisible = (table: 'o' | 'outbox', billingProfiles: readonly string[]) => {
  const profile = sql`${sql.identifier(table)}.content ->> 'profile'`
  return sql`(${profile} IS NULL OR ${profile} = ANY (${sql.param([...billingProfiles])}::text[]))`
}

/** Returns the customer's webhooks, the oldest first; with `id`, that one only. Counts events that the caller may see. */
export async function listWebhooks(
  tx: Transaction,
  { customerId, billingProfiles }: Pick<Caller, 'customerId' | 'billingProfiles'>,
  id?: string,
): Promise<WebhookRow[]> {
  const { rows } = await tx.execute<WebhookRow>(sql`
    SELECT e.id, e.name, e.url, e.kinds, e.billing_profiles AS "billingProfiles", e.owner_id AS "ownerId",
      m.name AS "ownerName", CASE WHEN e.former_until > now() THEN e.former_until END AS "formerUntil",
      e.failing_since AS "failingSince", e.created_at AS "createdAt",
      CASE WHEN e.pause_reason = 'BY_ADMIN' THEN 'PAUSED' WHEN e.pause_reason IS NOT NULL THEN e.pause_reason
        WHEN NOT ${HAS_ADMIN} THEN 'ACCESS_LOST' ELSE 'ACTIVE' END AS status,
      (SELECT count(*)::int FROM outbox o WHERE o.customer_id = ${customerId} AND o.recipient = e.id
        AND o.kind = 'webhook' AND o.state IN ('WAITING', 'SENDING')
        AND ${isVisible('o', billingProfiles)}) AS waiting
    FROM webhook_endpoints e
    LEFT JOIN members m ON m.customer_id = ${customerId} AND m.id = e.owner_id
    WHERE e.customer_id = ${customerId} ${id === undefined ? sql`` : sql`AND e.id = ${id}`}
    ORDER BY e.created_at, e.id`)
  return rows
}

/** Locks the customer against concurrent additions, and returns the number of webhooks. */
export async function countWebhooks(tx: Transaction, customerId: CustomerId): Promise<number> {
  await tx.execute(sql`SELECT pg_advisory_xact_lock(hashtextextended('webhooks ' || ${customerId}, 0))`)
  const { rows } = await tx.execute<{ count: number }>(sql`
    SELECT count(*)::int AS count FROM webhook_endpoints WHERE customer_id = ${customerId}`)
  return rows[0]?.count ?? 0
}

/** Editable values of a webhook. Null: all kinds, or all billing profiles that its Admin sees. */
export type WebhookValues = {
  name: string
  url: string
  kinds: readonly EventKind[] | null
  billingProfiles: readonly string[] | null
}

const list = (values: readonly string[] | null) =>
  values === null ? sql`NULL::text[]` : sql`${sql.param([...values])}::text[]`

export async function addWebhook(
  tx: Transaction,
  customerId: CustomerId,
  values: WebhookValues & { id: string; ownerId: string; secret: string },
): Promise<void> {
  const { id, name, url, kinds, billingProfiles, ownerId, secret } = values
  await tx.execute(sql`
    INSERT INTO webhook_endpoints (customer_id, id, name, url, kinds, billing_profiles, owner_id, secret)
    VALUES (${customerId}, ${id}, ${name}, ${url}, ${list(kinds)}, ${list(billingProfiles)}, ${ownerId}, ${secret})`)
}

/** Stores the values of a webhook; its Admin becomes `ownerId`, whose access limits its events from now on. */
export async function setWebhook(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
  { name, url, kinds, billingProfiles, ownerId }: WebhookValues & { ownerId: string },
): Promise<void> {
  await tx.execute(sql`
    UPDATE webhook_endpoints SET name = ${name}, url = ${url}, kinds = ${list(kinds)},
      billing_profiles = ${list(billingProfiles)}, owner_id = ${ownerId}
    WHERE customer_id = ${customerId} AND id = ${id}`)
}

/**
 * Pauses a webhook: its messages wait until it is resumed.
 * @returns false where it was paused before, or for `ACCESS_LOST` where it has an Admin again
 */
export async function pauseWebhook(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
  reason: 'BY_ADMIN' | 'FAILING' | 'ACCESS_LOST',
): Promise<boolean> {
  const { rowCount } = await tx.execute(sql`
    UPDATE webhook_endpoints e SET paused_at = now(), pause_reason = ${reason}
    WHERE e.customer_id = ${customerId} AND e.id = ${id} AND e.paused_at IS NULL
      AND (${reason} <> 'ACCESS_LOST' OR NOT EXISTS (
        SELECT FROM members m WHERE m.customer_id = ${customerId} AND m.id = e.owner_id AND ${HAS_ADMIN}))`)
  return rowCount !== 0
}

/** Resumes a webhook, or begins again with another address: its messages are due now, with another three days. */
export async function resumeWebhook(tx: Transaction, customerId: CustomerId, id: string): Promise<void> {
  await tx.execute(sql`
    UPDATE webhook_endpoints SET paused_at = NULL, pause_reason = NULL, failing_since = NULL, retry_at = NULL
    WHERE customer_id = ${customerId} AND id = ${id}`)
  await tx.execute(sql`
    UPDATE outbox SET not_before = statement_timestamp(), failing_since = NULL
    WHERE customer_id = ${customerId} AND recipient = ${id} AND kind = 'webhook' AND state = 'WAITING'
      AND failing_since IS NOT NULL`)
  await releaseMessages(tx, customerId, id)
}

/**
 * Most messages that one transaction holds or releases: of a webhook with many, the next claims hold the others, and the
 * next deliveries release them.
 */
const MAX_RESCHEDULED = 5000

/** Sets the next attempt of a webhook's waiting messages, except those that another transaction holds. */
async function reschedule(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
  { to, only }: { to: SQL; only: SQL },
): Promise<void> {
  await tx.execute(sql`
    UPDATE outbox SET not_before = ${to} WHERE customer_id = ${customerId} AND id IN (
      SELECT id FROM outbox
      WHERE customer_id = ${customerId} AND recipient = ${id} AND kind = 'webhook' AND state = 'WAITING' AND ${only}
      ORDER BY not_before LIMIT ${MAX_RESCHEDULED} FOR UPDATE SKIP LOCKED)`)
}

/**
 * Holds the next messages of a webhook that is paused or rests, and of a closed customer, in the transaction that records
 * one of them. Locks the webhook, so that it is not resumed in between.
 */
export async function holdMessages(tx: Transaction, customerId: CustomerId, id: string): Promise<void> {
  const { rows } = await tx.execute<{ until: string | null }>(sql`
    SELECT CASE WHEN e.paused_at IS NOT NULL THEN 'infinity' WHEN c.closed_at IS NOT NULL THEN now() + interval '1 hour'
      ELSE e.retry_at END::text AS until
    FROM webhook_endpoints e JOIN customers c ON c.id = ${customerId}
    WHERE e.customer_id = ${customerId} AND e.id = ${id} FOR SHARE OF e`)
  if (!rows[0]?.until) return
  const to = sql`${rows[0].until}::timestamptz`
  await reschedule(tx, customerId, id, { to, only: sql`not_before < ${to}` })
}

/** Makes the next held messages of a webhook due. Those that failed keep their own time. */
export async function releaseMessages(tx: Transaction, customerId: CustomerId, id: string): Promise<void> {
  const only = sql`failing_since IS NULL AND not_before > now()`
  await reschedule(tx, customerId, id, { to: sql`statement_timestamp()`, only })
}

/** Removes a webhook with its deliveries. */
export async function removeWebhook(tx: Transaction, customerId: CustomerId, id: string): Promise<void> {
  await tx.execute(sql`DELETE FROM webhook_endpoints WHERE customer_id = ${customerId} AND id = ${id}`)
  await removeMessages(tx, customerId, sql`recipient = ${id} AND kind = 'webhook'`)
}

/** Stores a new secret; the former one stays valid for the overlap. */
export async function setSecret(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
  { secret, overlapHours }: { secret: string; overlapHours: number },
): Promise<void> {
  await tx.execute(sql`
    UPDATE webhook_endpoints SET secret = ${secret},
      former_secret = CASE WHEN ${overlapHours}::int > 0 THEN secret END,
      former_until = now() + make_interval(hours => ${overlapHours}::int)
    WHERE customer_id = ${customerId} AND id = ${id}`)
}

/** Endpoint of a message, as the worker needs it. */
export type Endpoint = {
  name: string
  url: string
  secret: string
  formerSecret: string | null
  isPaused: boolean
  /** Whether the last call failed, and the next one is not due. */
  rests: boolean
  isClosed: boolean
  hasAdmin: boolean
  /** Whether the endpoint's Admin may see the event's billing profile. */
  maySee: boolean
  failingSeconds: number | null
}

export async function readEndpoint(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
  profile: string | null,
): Promise<Endpoint | undefined> {
  const { rows } = await tx.execute<Endpoint>(sql`
    SELECT e.name, e.url, e.secret, CASE WHEN e.former_until > now() THEN e.former_secret END AS "formerSecret",
      e.paused_at IS NOT NULL AS "isPaused", coalesce(e.retry_at > now(), false) AS rests,
      c.closed_at IS NOT NULL AS "isClosed", ${HAS_ADMIN} AS "hasAdmin",
      (${profile}::text IS NULL OR m.billing_profiles IS NULL OR ${profile} = ANY (m.billing_profiles)) AS "maySee",
      extract(epoch FROM now() - e.failing_since)::float8 AS "failingSeconds"
    FROM webhook_endpoints e
    JOIN customers c ON c.id = ${customerId}
    LEFT JOIN members m ON m.customer_id = ${customerId} AND m.id = e.owner_id
    WHERE e.customer_id = ${customerId} AND e.id = ${id}`)
  return rows[0]
}

/** Stores a failed call: the endpoint rests, and so do its other messages. */
export async function noteFailure(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
  seconds: number,
): Promise<void> {
  await tx.execute(sql`
    UPDATE webhook_endpoints SET failing_since = coalesce(failing_since, now()),
      retry_at = now() + make_interval(secs => ${seconds})
    WHERE customer_id = ${customerId} AND id = ${id} AND paused_at IS NULL
      AND (retry_at IS NULL OR retry_at < now())`)
  await holdMessages(tx, customerId, id)
}

/** Stores a successful call: an endpoint that rested is called for its other messages again. */
export async function noteSuccess(tx: Transaction, customerId: CustomerId, id: string): Promise<void> {
  await tx.execute(sql`
    UPDATE webhook_endpoints SET failing_since = NULL, retry_at = NULL
    WHERE customer_id = ${customerId} AND id = ${id} AND failing_since IS NOT NULL`)
  await releaseMessages(tx, customerId, id)
}

export type Attempt = {
  number: number
  at: string
  tookMs: number
  url: string
  status: number | null
  response: string | null
  reason: string | null
}

export async function addAttempt(
  tx: Transaction,
  customerId: CustomerId,
  messageId: string,
  { number, at, tookMs, url, status, response, reason }: Attempt,
): Promise<void> {
  await tx.execute(sql`
    INSERT INTO webhook_attempts (customer_id, message_id, number, at, took_ms, url, status, response, reason)
    VALUES (${customerId}, ${messageId}, ${number}, ${at}, ${tookMs}, ${url}, ${status}, ${response}, ${reason})`)
}

export async function listAttempts(
  tx: Transaction,
  customerId: CustomerId,
  messageId: string,
): Promise<Attempt[]> {
  const { rows } = await tx.execute<Attempt>(sql`
    SELECT number, at, took_ms AS "tookMs", url, status, response, reason FROM webhook_attempts
    WHERE customer_id = ${customerId} AND message_id = ${messageId} ORDER BY number DESC LIMIT 100`)
  return rows
}

/** Content of a webhook's message. `at` and `version`: of the original, for a repetition. */
export type EventContent = {
  event: string
  kind: EventKind | typeof TEST_EVENT
  profile: string | null
  ids: Record<string, string>
  at?: string
  version?: number
}

export type DeliveryRow = {
  id: string
  seq: string
  content: EventContent
  state: DeliveryState
  attempts: number
  reason: string | null
  createdAt: string
  endedAt: string | null
  nextAt: string | null
  lastStatus: number | null
  micros: string
}

const { columns, micros } = byCreation(outbox.createdAt, outbox.id)
const STATE = sql`CASE outbox.state WHEN 'SENT' THEN 'ACCEPTED' WHEN 'REFUSED' THEN 'FAILED' WHEN 'UNKNOWN' THEN 'FAILED'
  ELSE 'WAITING' END`

/** Deliveries of a webhook that a caller may see: those of its billing profiles, and those without one. */
export type DeliverySelection = {
  webhookId: string
  state?: DeliveryState | undefined
  id?: string
  event?: string
  limit: number
  cursor?: Cursor | undefined
}

/** Lists deliveries in reading direction from the cursor: newest first. */
export async function listDeliveries(
  tx: Transaction,
  { customerId, billingProfiles }: Pick<Caller, 'customerId' | 'billingProfiles'>,
  { webhookId, state, id, event, limit, cursor }: DeliverySelection,
): Promise<DeliveryRow[]> {
  const page = pageByKey(columns, cursor)
  const { rows } = await tx.execute<DeliveryRow>(sql`
    SELECT outbox.id, outbox.seq::text, outbox.content, ${STATE} AS state, outbox.attempts, outbox.reason,
      outbox.created_at AS "createdAt", outbox.ended_at AS "endedAt", ${micros} AS micros,
      CASE WHEN outbox.state = 'WAITING' AND outbox.not_before < 'infinity' THEN outbox.not_before END AS "nextAt",
      (SELECT a.status FROM webhook_attempts a WHERE a.customer_id = ${customerId} AND a.message_id = outbox.id
        ORDER BY a.number DESC LIMIT 1) AS "lastStatus"
    FROM outbox
    WHERE outbox.customer_id = ${customerId} AND outbox.recipient = ${webhookId} AND outbox.kind = 'webhook'
      AND ${isVisible('outbox', billingProfiles)}
      ${state === undefined ? sql`` : sql`AND ${STATE} = ${state}`}
      ${id === undefined ? sql`` : sql`AND outbox.id = ${id}`}
      ${event === undefined ? sql`` : sql`AND outbox.content ->> 'event' = ${event}`} ${page.beyond ? sql`AND ${page.beyond}` : sql``}
    ORDER BY ${page.order} LIMIT ${limit}`)
  return rows
}

/** Returns the sort key of a delivery, for page tokens. */
export function keyOfDelivery({ micros, id }: DeliveryRow): string[] {
  return [micros, id]
}

/** Writes a test event for one webhook. @returns the id of its event */
export async function addTestEvent(
  tx: Transaction,
  customerId: CustomerId,
  webhookId: string,
): Promise<string> {
  const event = randomUUID()
  const content: EventContent = { event, kind: TEST_EVENT, profile: null, ids: { webhookId } }
  await enqueue(tx, customerId, [{ kind: 'webhook', recipient: webhookId, content }])
  return event
}

/**
 * Repeats a delivery: one that waits is due now, after earlier ones of its object; another one is written again, as the
 * same event.
 * @returns the id of the message
 */
export async function repeatMessage(
  tx: Transaction,
  customerId: CustomerId,
  webhookId: string,
  { id, state, content, seq, createdAt }: DeliveryRow,
): Promise<string> {
  if (state === 'WAITING') {
    const { rowCount } = await tx.execute(sql`
      UPDATE webhook_endpoints SET retry_at = NULL
      WHERE customer_id = ${customerId} AND id = ${webhookId} AND paused_at IS NULL`)
    // Earlier events of its object come first.
    const only = sql`(id = ${id} OR seq < ${seq} AND lane = (
      SELECT lane FROM outbox WHERE customer_id = ${customerId} AND id = ${id}))`
    if (rowCount) await reschedule(tx, customerId, webhookId, { to: sql`statement_timestamp()`, only })
    return id
  }
  const event = { at: new Date(createdAt).toISOString(), version: Number(seq), ...content }
  const { rows } = await tx.execute<{ id: string }>(sql`
    INSERT INTO outbox (customer_id, kind, recipient, lane, content)
    SELECT customer_id, kind, recipient, lane, ${JSON.stringify(event)}::jsonb FROM outbox
    WHERE customer_id = ${customerId} AND id = ${id} RETURNING id`)
  return rows[0]?.id ?? id
}
