import 'server-only'
import { and, eq, sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { accountMails, sessions } from '#lib/platform/db/schema/access/sign-ins.ts'
import { mailSettings } from '#lib/platform/mail/settings.ts'

/** Events that a member is notified of by mail. */
export type AccountEvent =
  | 'new-password'
  | 'new-device'
  | 'factor-added'
  | 'factor-removed'
  | 'factors-reset'
  | 'recovery-code-used'
  | 'key-ends'
  | 'key-leaked'
  | RenewalEvent
  | AdminEvent

/** What a person who ordered something for a next term gets a mail about. */
export type RenewalEvent = 'renewal-near' | 'renewal-not-done' | 'renewal-unclear'

/** Events that the Admins of a customer are notified of by mail. */
export type AdminEvent = 'scim-token-leaked' | 'domain-lost' | 'domain-ended'

/** Returns the device of a session, for the mail about an action in it. */
export async function deviceOfSession(tx: Transaction, customerId: CustomerId, digest: string) {
  const { address, userAgent } = sessions
  const sessionFilter = and(eq(sessions.customerId, customerId), eq(sessions.digest, digest))
  const [row] = await tx.select({ address, userAgent }).from(sessions).where(sessionFilter)
  return row && { address: row.address ?? '', userAgent: row.userAgent ?? '' }
}

/**
 * Writes down that a member is to be told by mail, in the transaction of what it tells of; a job sends it. Nothing where
 * no mail server is set.
 * @param from where it came from, where that is known
 */
export async function notifyMember(
  tx: Transaction,
  customerId: CustomerId,
  memberId: string,
  {
    event,
    from = undefined,
  }: { event: AccountEvent; from?: { address: string; userAgent: string } | undefined | undefined },
): Promise<void> {
  if (mailSettings()) await tx.insert(accountMails).values({ customerId, memberId, event, ...from })
}

/**
 * Writes down that each Admin who can sign in is to be told by mail, as `tellMember` does for one.
 * @param about the name of what it is about: a token of a directory, or a domain
 */
export async function notifyAdmins(
  tx: Transaction,
  customerId: CustomerId,
  event: AdminEvent,
  about: string,
): Promise<void> {
  if (!mailSettings()) return
  await tx.execute(sql`
    INSERT INTO account_mails (customer_id, member_id, event, about)
    SELECT m.customer_id, m.id, ${event}, ${about} FROM members m
    WHERE m.customer_id = ${customerId} AND m.roles @> '{admin}' AND m.disabled_at IS NULL AND m.invited_at IS NULL`)
}
