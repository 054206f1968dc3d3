import 'server-only'
import { randomUUID } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { NOTICES, type Notice } from '#lib/notifications/notices/rules.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { enqueue } from '#lib/platform/outbox/store.ts'
import { CONFIRMATION_DAYS, type RecipientState, type StoredState, stateOf } from './rules.ts'

/** Address of a billing profile: a subscription, a request for one, or both. */
export type Recipient = {
  recipientId: string
  profileId: string
  email: string
  notices: Notice[]
  attachesPdf: boolean
  /** Those of `notices` that the address has stopped. */
  stopped: Notice[]
  state: RecipientState
  /** Mail server's reason for a refusal; null in other states. */
  reason: string | null
  requestedBy: string | null
  createdAt: Date
  /** End of an open request's link; null without one. */
  expiresAt: Date | null
}

type Row = Omit<Recipient, 'stopped' | 'state' | 'createdAt' | 'expiresAt'> &
  Omit<StoredState, 'notices'> & { createdAt: string; expiresAt: string | null }

/**
 * Returns the addresses of these billing profiles, by billing profile and address.
 * @param only limits them to one address
 */
export async function listRecipients(
  tx: Transaction,
  customerId: CustomerId,
  profiles: readonly string[],
  only?: string,
): Promise<Recipient[]> {
  const visible = sql`customer_id = ${customerId} AND billing_profile_id = ANY (${sql.param([...profiles])}::text[])
    AND (${only ?? null}::text IS NULL OR recipient_id = ${only ?? null}::text)`
  // Two statements: on Citus, requests and recipients may be on different nodes.
  const { rows: requests } = await tx.execute(sql`
    SELECT DISTINCT ON (q.recipient_id, q.billing_profile_id) q.recipient_id, q.billing_profile_id, q.kinds,
      q.attaches_pdf, q.reason, q.created_at, q.expires_at, m.name AS requested_by, CASE WHEN q.outcome = 'DECLINED'
        THEN 'declined' WHEN q.outcome IS NOT NULL THEN NULL WHEN q.state = 'REFUSED' THEN 'refused'
        WHEN q.expires_at <= now() THEN 'expired' ELSE 'open' END AS request
    FROM (SELECT * FROM notice_confirmations WHERE ${visible}) q
    LEFT JOIN members m ON m.customer_id = ${customerId} AND m.id = q.requested_by
    -- The request in force first: \`created_at\` is when its transaction began, which may be before the one it replaced.
    ORDER BY q.recipient_id, q.billing_profile_id, (q.outcome IS NULL) DESC, q.created_at DESC, q.id`)
  const { rows } = await tx.execute<Row>(sql`
    SELECT r.id AS "recipientId", coalesce(s.billing_profile_id, q.billing_profile_id) AS "profileId", r.email,
      CASE WHEN q.request = 'open' THEN q.kinds ELSE coalesce(s.kinds, q.kinds) END AS notices,
      CASE WHEN q.request = 'open' THEN q.attaches_pdf ELSE coalesce(s.attaches_pdf, q.attaches_pdf) END AS "attachesPdf",
      r.stopped, r.failure IS NOT NULL AS "isRejected", s.recipient_id IS NOT NULL AS "isSubscribed", q.request,
      coalesce(q.reason, r.failure) AS reason, q.requested_by AS "requestedBy", coalesce(q.created_at, s.since) AS "createdAt",
      CASE WHEN q.request = 'open' THEN q.expires_at END AS "expiresAt"
    FROM (SELECT * FROM notice_subscriptions WHERE ${visible}) s
    FULL JOIN json_to_recordset(${JSON.stringify(requests)}::json) AS q(recipient_id text, billing_profile_id text,
      kinds text[], attaches_pdf boolean, reason text, created_at timestamptz, expires_at timestamptz,
      requested_by text, request text)
      ON q.recipient_id = s.recipient_id AND q.billing_profile_id = s.billing_profile_id
    JOIN notice_recipients r ON r.customer_id = ${customerId} AND r.id = coalesce(s.recipient_id, q.recipient_id)
    WHERE s.recipient_id IS NOT NULL OR q.request IS NOT NULL
    ORDER BY 2, lower(r.email) COLLATE "C"`)
  return rows.map(recipientOf)
}

function recipientOf({ isRejected, isSubscribed, request, ...row }: Row): Recipient {
  const notices = NOTICES.filter((notice) => row.notices.includes(notice))
  const state = stateOf({ notices, stopped: row.stopped, isRejected, isSubscribed, request })
  return {
    ...row,
    notices,
    stopped: notices.filter((notice) => row.stopped.includes(notice)),
    state,
    reason: state === 'refused' ? row.reason : null,
    createdAt: new Date(row.createdAt),
    expiresAt: row.expiresAt === null ? null : new Date(row.expiresAt),
  }
}

/** Locks a billing profile until the transaction ends. @returns whether it exists */
export async function lockProfile(tx: Transaction, customerId: CustomerId, id: string): Promise<boolean> {
  const { rows } = await tx.execute(sql`
    SELECT FROM billing_profiles WHERE customer_id = ${customerId} AND id = ${id} FOR NO KEY UPDATE`)
  return rows.length > 0
}

/** Locks a stored address until the transaction ends. @returns whether it exists */
export async function lockRecipient(tx: Transaction, customerId: CustomerId, id: string): Promise<boolean> {
  const { rows } = await tx.execute(sql`
    SELECT FROM notice_recipients WHERE customer_id = ${customerId} AND id = ${id} FOR NO KEY UPDATE`)
  return rows.length > 0
}

/** Adds an address without notices, or locks the stored one. @returns its id */
export async function ensureRecipient(
  tx: Transaction,
  customerId: CustomerId,
  email: string,
): Promise<string> {
  const { rows } = await tx.execute<{ id: string }>(sql`
    INSERT INTO notice_recipients AS r (customer_id, id, email) VALUES (${customerId}, ${randomUUID()}, ${email})
    ON CONFLICT (customer_id, lower(email)) DO UPDATE SET stopped = r.stopped RETURNING id`)
  if (!rows[0]) throw new Error('An address was neither added nor found.')
  return rows[0].id
}

/** Requests of the last 24 hours: how many, and in how many seconds the oldest one of `limit` no longer counts. */
export type Requests = { count: number; secondsLeft: number }

/** Counts the requests of the last 24 hours for a billing profile and for an address. */
export async function countRequests(
  tx: Transaction,
  customerId: CustomerId,
  { recipientId, profileId }: { recipientId: string; profileId: string },
): Promise<{ ofProfile: Requests; ofAddress: Requests }> {
  const count = async (its: ReturnType<typeof sql>): Promise<Requests> => {
    const { rows } = await tx.execute<Requests>(sql`
      SELECT count(*)::int AS count,
        greatest(1, ceil(extract(epoch FROM min(created_at) + interval '24 hours' - now())))::int AS "secondsLeft"
      FROM notice_confirmations
      WHERE customer_id = ${customerId} AND ${its} AND created_at > now() - interval '24 hours'`)
    return rows[0] ?? { count: 0, secondsLeft: 1 }
  }
  return {
    ofProfile: await count(sql`billing_profile_id = ${profileId}`),
    ofAddress: await count(sql`recipient_id = ${recipientId}`),
  }
}

export type NewRequest = {
  recipientId: string
  profileId: string
  notices: readonly Notice[]
  attachesPdf: boolean
  /** Id of the member who requests it. */
  requestedBy: string
}

/** Adds a request in the place of an open one, with its mail in the outbox. */
export async function addRequest(
  tx: Transaction,
  customerId: CustomerId,
  request: NewRequest,
): Promise<void> {
  const { recipientId, profileId, notices, attachesPdf, requestedBy } = request
  await withdrawRequest(tx, customerId, request)
  const id = randomUUID()
  // No process of the previous release sends the mail, too.
  await tx.execute(sql`
    INSERT INTO notice_confirmations (customer_id, id, recipient_id, billing_profile_id, kinds, attaches_pdf, requested_by,
      not_before, expires_at)
    VALUES (${customerId}, ${id}, ${recipientId}, ${profileId}, ${sql.param([...notices])}::text[], ${attachesPdf},
      ${requestedBy}, 'infinity', now() + make_interval(days => ${CONFIRMATION_DAYS}::int))`)
  await enqueue(tx, customerId, [{ kind: 'confirmation', recipient: id }])
}

type Which = { recipientId: string; profileId: string }

type RequestNames = { email: string; customer: string; profile: string; isOpen: boolean }

/** Returns the names of a request that are not stored with it: on Citus they may be on another node. */
export async function readRequestNames(
  tx: Transaction,
  customerId: CustomerId,
  { recipientId, profileId }: Which,
): Promise<RequestNames | undefined> {
  const { rows } = await tx.execute<RequestNames>(sql`
    SELECT r.email, c.name AS customer, p.name AS profile, c.closed_at IS NULL AS "isOpen" FROM notice_recipients r
    JOIN billing_profiles p ON p.customer_id = ${customerId} AND p.id = ${profileId}
    JOIN customers c ON c.id = ${customerId}
    WHERE r.customer_id = ${customerId} AND r.id = ${recipientId}`)
  return rows[0]
}

/** Ends an open or expired request. @returns whether there was one */
export async function withdrawRequest(
  tx: Transaction,
  customerId: CustomerId,
  which: Which,
): Promise<boolean> {
  const { rowCount } = await tx.execute(sql`
    UPDATE notice_confirmations SET outcome = 'WITHDRAWN', ended_at = now()
    WHERE customer_id = ${customerId} AND recipient_id = ${which.recipientId}
      AND billing_profile_id = ${which.profileId} AND outcome IS NULL`)
  return rowCount !== 0
}

/** Changes the subscription and the open request of an address. Earlier invoices do not become new ones. */
export async function setRecipient(
  tx: Transaction,
  customerId: CustomerId,
  { recipientId, profileId, notices, attachesPdf }: Omit<NewRequest, 'requestedBy'>,
): Promise<void> {
  const kinds = sql`${sql.param([...notices])}::text[]`
  const which = sql`customer_id = ${customerId} AND recipient_id = ${recipientId} AND billing_profile_id = ${profileId}`
  await tx.execute(sql`UPDATE notice_subscriptions SET since = now() WHERE ${which} AND 'new' <> ALL (kinds)`)
  await tx.execute(sql`
    UPDATE notice_subscriptions SET kinds = ${kinds}, attaches_pdf = ${attachesPdf} WHERE ${which}`)
  await tx.execute(sql`
    UPDATE notice_confirmations SET kinds = ${kinds}, attaches_pdf = ${attachesPdf}
    WHERE ${which} AND outcome IS NULL`)
}

/** Removes the subscription of an address. @returns whether there was one */
export async function removeSubscription(tx: Transaction, customerId: CustomerId, which: Which) {
  const { rowCount } = await tx.execute(sql`
    DELETE FROM notice_subscriptions
    WHERE customer_id = ${customerId} AND recipient_id = ${which.recipientId}
      AND billing_profile_id = ${which.profileId}`)
  return rowCount !== 0
}

/** Removes the customer's requests that ended or expired 90 days ago. @returns how many */
export async function pruneRequests(tx: Transaction, customerId: CustomerId): Promise<number> {
  const { rowCount } = await tx.execute(sql`
    DELETE FROM notice_confirmations
    WHERE customer_id = ${customerId} AND coalesce(ended_at, expires_at) < now() - interval '90 days'`)
  return rowCount ?? 0
}
