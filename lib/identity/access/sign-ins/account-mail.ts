import 'server-only'
import { and, eq, sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { sessions } from '#lib/platform/db/schema/access/sign-ins.ts'
import { mailSettings } from '#lib/platform/mail/settings.ts'
import { enqueue } from '#lib/platform/outbox/store.ts'

/** Events that a member is notified of by mail. */
export type AccountEvent =
  | 'new-password'
  | 'new-device'
  | 'factor-added'
  | 'factor-removed'
  | 'factors-reset'
  | 'recovery-code-used'
  | 'factor-refused'
  | 'key-ends'
  | 'key-leaked'
  | RenewalEvent
  | AdminEvent

/** What a person who ordered something for a next term gets a mail about. */
export type RenewalEvent = 'renewal-near' | 'renewal-not-done' | 'renewal-unclear'

/** Events that the Admins of a customer are notified of by mail. */
export type AdminEvent = 'scim-token-leaked' | 'domain-lost' | 'domain-ended' | 'webhook-paused'

/** Returns the device of a session, for the mail about an action in it. */
export async function deviceOfSession(tx: Transaction, customerId: CustomerId, digest: string) {
  const { address, userAgent } = sessions
  const sessionFilter = and(eq(sessions.customerId, customerId), eq(sessions.digest, digest))
  const [row] = await tx.select({ address, userAgent }).from(sessions).where(sessionFilter)
  return row && { address: row.address ?? '', userAgent: row.userAgent ?? '' }
}

/** Content of a mail about an account, in the outbox under the kind `account` for its member. */
export type AccountMail = {
  event: AccountEvent
  /** Client address and user agent of the cause, where they are known. */
  address?: string | null
  userAgent?: string | null
  /** API key of the event, where it is about one. */
  keyId?: string
  /** Name of a further subject: a domain, a token of a directory, or a plan with the order for it. */
  about?: string | null
  /** Time of the event, where it is not the time of the message. */
  at?: string
}

/** Enqueues a mail to some members, in the transaction of its event. Does nothing without a mail server. */
export async function enqueueAccountMail(
  tx: Transaction,
  customerId: CustomerId,
  memberIds: readonly string[],
  content: AccountMail,
): Promise<void> {
  if (!mailSettings()) return
  const messages = memberIds.map((recipient) => ({ kind: 'account', recipient, content }))
  await enqueue(tx, customerId, messages)
}

/**
 * Enqueues a mail to a member, in the transaction of its event. Does nothing without a mail server.
 * @param from client of the event, where it is known
 */
export function notifyMember(
  tx: Transaction,
  customerId: CustomerId,
  memberId: string,
  {
    event,
    from = undefined,
  }: { event: AccountEvent; from?: { address: string; userAgent: string } | undefined },
): Promise<void> {
  return enqueueAccountMail(tx, customerId, [memberId], { event, ...from })
}

/** Notifies a member like `notifyMember` that a wrong factor followed the correct password, at most once an hour. */
export async function notifyOfWrongFactor(
  tx: Transaction,
  customerId: CustomerId,
  memberId: string,
  from: { address: string; userAgent: string } | undefined,
): Promise<void> {
  // Parallel attempts wait for each other's commit: otherwise each would find no mail, and write one.
  await tx.execute(
    sql`SELECT pg_advisory_xact_lock(hashtextextended(${`wrong factor of ${customerId} ${memberId}`}, 0))`,
  )
  const { rows } = await tx.execute(sql`
    SELECT FROM outbox WHERE customer_id = ${customerId} AND kind = 'account' AND recipient = ${memberId}
      AND content ->> 'event' = 'factor-refused' AND created_at > now() - interval '1 hour' LIMIT 1`)
  if (rows.length === 0) await notifyMember(tx, customerId, memberId, { event: 'factor-refused', from })
}

/**
 * Enqueues a mail to each Admin who can sign in, like `notifyMember` for one member.
 * @param about name of its subject, such as a domain or a token of a directory
 */
export async function notifyAdmins(
  tx: Transaction,
  customerId: CustomerId,
  event: AdminEvent,
  about: string,
): Promise<void> {
  if (!mailSettings()) return
  const { rows } = await tx.execute<{ id: string }>(sql`
    SELECT m.id FROM members m
    WHERE m.customer_id = ${customerId} AND m.roles @> '{admin}' AND m.disabled_at IS NULL AND m.invited_at IS NULL
    ORDER BY m.id`)
  await enqueueAccountMail(
    tx,
    customerId,
    rows.map(({ id }) => id),
    { event, about },
  )
}
