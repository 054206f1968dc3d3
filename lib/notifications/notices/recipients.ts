import 'server-only'
import { randomUUID } from 'node:crypto'
import { sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import type { Delivery } from '#lib/platform/mail/mailer.ts'
import type { Kind, Notice } from './rules.ts'

/** Recipient's notices about one billing profile, or about licenses, which have none. */
export type RecipientRow = {
  email: string
  profile: string | null
  notices: Kind[]
  /** `pdf` where the PDFs of new invoices are attached. */
  attachments: 'pdf' | null
  /** Notices that the recipient has stopped. */
  stopped: Kind[]
  since: Date
  /** The day of the last mail that was sent. */
  lastMail: string | null
  /** Why the mail server refused the address; null: it is good. */
  failure: string | null
}

/** Stops all mails to an address that the mail server has refused, until it is added again. */
export async function setFailure(
  tx: Transaction,
  customerId: CustomerId,
  recipientId: string,
  delivery: Delivery | undefined,
): Promise<void> {
  if (delivery?.kind !== 'refused' || !delivery.address) return
  await tx.execute(sql`
    UPDATE notice_recipients SET failure = ${delivery.reason}, failed_at = now()
    WHERE customer_id = ${customerId} AND id = ${recipientId}`)
}

/** Returns the recipients of notices, by billing profile and address. */
export async function listRecipientRows(tx: Transaction, customerId: CustomerId): Promise<RecipientRow[]> {
  const { rows } = await tx.execute<RecipientRow>(sql`
    SELECT r.email, s.profile, s.kinds AS notices, CASE WHEN s.attaches_pdf THEN 'pdf' END AS attachments, r.stopped, s.since, (
        SELECT max(told_on)::text FROM notice_mails m
        WHERE m.customer_id = ${customerId} AND m.recipient_id = r.id AND m.state = 'SENT') AS "lastMail",
      r.failure
    FROM (
      SELECT recipient_id, billing_profile_id AS profile, kinds, since, attaches_pdf FROM notice_subscriptions
      WHERE customer_id = ${customerId}
      UNION ALL
      SELECT id, NULL, '{licenses}', licenses_since, false FROM notice_recipients
      WHERE customer_id = ${customerId} AND licenses_since IS NOT NULL
      UNION ALL
      SELECT id, NULL, '{needs}', needs_since, false FROM notice_recipients
      WHERE customer_id = ${customerId} AND needs_since IS NOT NULL) s
    JOIN notice_recipients r ON r.customer_id = ${customerId} AND r.id = s.recipient_id
    ORDER BY s.profile, lower(r.email) COLLATE "C"`)
  return rows.map((row) => ({ ...row, since: new Date(row.since) }))
}

/**
 * Sets the notices that an address gets about a billing profile, from now on. A rejected address is tried again;
 * notices stopped by the recipient stay stopped, unless `again` is set.
 * @returns the stopped notices. An unknown billing profile is error 23503
 */
export async function addRecipient(
  tx: Transaction,
  customerId: CustomerId,
  {
    email,
    profile,
    kinds,
    again,
    attachesPdf,
  }: {
    email: string
    profile: string
    kinds: readonly Notice[]
    again: boolean
    /** Whether PDFs of new invoices are attached; undefined: as before, or not. */
    attachesPdf?: boolean | undefined
  },
): Promise<Notice[]> {
  const { rows } = await tx.execute<{ id: string; stopped: Notice[] }>(sql`
    INSERT INTO notice_recipients AS r (customer_id, id, email) VALUES (${customerId}, ${randomUUID()}, ${email})
    ON CONFLICT (customer_id, lower(email)) DO UPDATE
    SET failure = NULL, failed_at = NULL,
      stopped = CASE WHEN ${again} THEN ${kinds.reduce((left, kind) => sql`array_remove(${left}, ${kind})`, sql`r.stopped`)}
        ELSE r.stopped END
    RETURNING id, stopped`)
  const [recipient] = rows
  // Invoices from a time without a subscription are not news.
  await tx.execute(sql`
    INSERT INTO notice_subscriptions AS s (customer_id, recipient_id, billing_profile_id, kinds, attaches_pdf)
    VALUES (${customerId}, ${recipient?.id}, ${profile}, ${sql.param([...kinds])}::text[], ${attachesPdf ?? false})
    ON CONFLICT (customer_id, recipient_id, billing_profile_id) DO UPDATE
    SET kinds = excluded.kinds, attaches_pdf = ${attachesPdf === undefined ? sql`s.attaches_pdf` : sql`excluded.attaches_pdf`},
      since = CASE WHEN 'new' = ANY (s.kinds) AND NOT ${again} THEN s.since ELSE excluded.since END`)
  return recipient?.stopped ?? []
}

/**
 * Subscribes an address to vendors' changes of totals, from now on, if not subscribed yet. As with invoices, notices
 * stopped by the recipient stay stopped, unless `again` is set.
 * @returns the stopped notices
 */
export async function addLicensesRecipient(
  tx: Transaction,
  customerId: CustomerId,
  { email, again }: { email: string; again: boolean },
): Promise<Kind[]> {
  const { rows } = await tx.execute<{ stopped: Kind[] }>(sql`
    INSERT INTO notice_recipients AS r (customer_id, id, email, licenses_since)
    VALUES (${customerId}, ${randomUUID()}, ${email}, now())
    ON CONFLICT (customer_id, lower(email)) DO UPDATE
    SET failure = NULL, failed_at = NULL, licenses_since = coalesce(r.licenses_since, excluded.licenses_since),
      stopped = CASE WHEN ${again} THEN array_remove(r.stopped, 'licenses') ELSE r.stopped END
    RETURNING stopped`)
  return rows[0]?.stopped ?? []
}

/** Ends an address's notices outside billing profiles: licenses and needs. @returns whether it was subscribed */
export async function removeLicensesRecipient(
  tx: Transaction,
  customerId: CustomerId,
  email: string,
): Promise<boolean> {
  const { rows } = await tx.execute(sql`
    UPDATE notice_recipients SET licenses_since = NULL, needs_since = NULL
    WHERE customer_id = ${customerId} AND lower(email) = lower(${email})
      AND (licenses_since IS NOT NULL OR needs_since IS NOT NULL)
    RETURNING id`)
  return rows.length > 0
}

/**
 * Removes an address from one billing profile or from all. Notices stopped by the recipient stay recorded.
 * @returns the billing profiles whose notices the address received
 */
export async function removeRecipient(
  tx: Transaction,
  customerId: CustomerId,
  email: string,
  profile: string | undefined,
): Promise<string[]> {
  const { rows } = await tx.execute<{ profile: string }>(sql`
    DELETE FROM notice_subscriptions s USING notice_recipients r
    WHERE s.customer_id = ${customerId} AND r.customer_id = ${customerId} AND r.id = s.recipient_id
      AND lower(r.email) = lower(${email})
      AND (${profile ?? null}::text IS NULL OR s.billing_profile_id = ${profile ?? null}::text)
    RETURNING s.billing_profile_id AS profile`)
  return rows.map((row) => row.profile).sort()
}
