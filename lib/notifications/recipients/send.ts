import 'server-only'
import { sql } from 'drizzle-orm'
import { customersWithConfirmations } from '#lib/identity/access/due-work.ts'
import { confirmationLink } from '#lib/identity/access/notice-link.ts'
import { NO_ANSWER } from '#lib/identity/account-mails/message.ts'
import { oneLine } from '#lib/notifications/notices/digest.ts'
import { NOTICE_NAMES, NOTICES, type Notice } from '#lib/notifications/notices/rules.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { noticeConfirmations } from '#lib/platform/db/schema/notifications.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { type Delivery, deliver, type Message } from '#lib/platform/mail/mailer.ts'
import { endedBy, IS_DUE, LEASE, recordOutcome, rejectExpired } from '#lib/platform/mail/queue.ts'
import { type MailConfig, mailSettings } from '#lib/platform/mail/settings.ts'
import { env } from '#lib/platform/runtime/env.ts'
import { log } from '#lib/platform/runtime/log.ts'
import { CONFIRMATION_DAYS } from './rules.ts'

/** Mail that asks an address to confirm its notices. */
type DueRequest = {
  id: string
  recipientId: string
  email: string
  customer: string
  profile: string
  kinds: Notice[]
  attachesPdf: boolean
  /** Address of the member who requested it. */
  requestedBy: string
}

/**
 * Mails the links that confirm addresses. Does nothing without a mail server. Safe to run in several
 * processes in parallel; temporary failures are tried again for a day.
 * @returns how many were sent
 * @throws Error where the mail server is unavailable: the remaining mails are not attempted then
 */
export async function sendConfirmations(requestId: string, signal: AbortSignal): Promise<number> {
  const mail = mailSettings()
  if (!mail) return 0
  let count = 0
  for (const customerId of await customersWithConfirmations()) {
    while (!signal.aborted) {
      const due = await scope({ customerId }, (tx) => claimRequest(tx, customerId))
      if (!due) break
      const delivery = await send(mail, customerId, due)
      if (delivery.kind === 'sent') count += 1
      else log().warn({ requestId, customerId, mail: due.id, ...delivery }, 'confirmation not mailed')
      if (delivery.kind === 'away') throw new Error(`The mail server could not be used: ${delivery.reason}`)
    }
  }
  return count
}

/** Claims the oldest due mail of the customer; undefined where none is due. */
async function claimRequest(tx: Transaction, customerId: CustomerId): Promise<DueRequest | undefined> {
  await rejectExpired(tx, customerId, noticeConfirmations, 'created_at')
  const { rows: claimed } = await tx.execute<{ id: string }>(sql`
    WITH due AS (
      SELECT id FROM notice_confirmations
      WHERE customer_id = ${customerId} AND outcome IS NULL AND ${IS_DUE}
      ORDER BY created_at, id LIMIT 1 FOR UPDATE SKIP LOCKED
    )
    UPDATE notice_confirmations q SET state = 'SENDING', not_before = statement_timestamp() + ${LEASE}
    FROM due WHERE q.customer_id = ${customerId} AND q.id = due.id RETURNING q.id`)
  if (!claimed[0]) return undefined
  const { rows } = await tx.execute<DueRequest>(sql`
    SELECT q.id, q.recipient_id AS "recipientId", r.email, c.name AS customer, p.name AS profile, q.kinds,
      q.attaches_pdf AS "attachesPdf", m.email AS "requestedBy"
    FROM notice_confirmations q
    JOIN notice_recipients r ON r.customer_id = ${customerId} AND r.id = q.recipient_id
    JOIN billing_profiles p ON p.customer_id = ${customerId} AND p.id = q.billing_profile_id
    JOIN members m ON m.customer_id = ${customerId} AND m.id = q.requested_by
    JOIN customers c ON c.id = ${customerId}
    WHERE q.customer_id = ${customerId} AND q.id = ${claimed[0].id}`)
  return rows[0]
}

async function send(mail: MailConfig, customerId: CustomerId, due: DueRequest): Promise<Delivery> {
  const delivery = await deliver(
    mail,
    due.email,
    messageOf(customerId, due, env().baseUrl),
    `confirm.${due.id}`,
  )
  const record = async (tx: Transaction) => {
    await recordOutcome(tx, customerId, noticeConfirmations, { id: due.id, ...endedBy(delivery) })
    if (delivery.kind !== 'refused' || !delivery.address) return
    await tx.execute(sql`
      UPDATE notice_recipients SET failure = ${delivery.reason}, failed_at = now()
      WHERE customer_id = ${customerId} AND id = ${due.recipientId}`)
  }
  await scope({ customerId }, record, { evenIfClosed: true })
  return delivery
}

/**
 * Returns the mail with the link; plain text only. It has no text that an Admin chooses: it goes to an address that
 * is not verified yet.
 */
function messageOf(customerId: CustomerId, due: DueRequest, baseUrl: string): Message {
  const { id, customer, profile, kinds, attachesPdf, email, requestedBy } = due
  const link = confirmationLink({ customerId, confirmationId: id })
  const notices = NOTICES.filter((notice) => kinds.includes(notice)).map((notice) => {
    const more = notice === 'new' && attachesPdf ? ', with their PDFs attached' : ''
    return `* ${NOTICE_NAMES[notice]}${more}`
  })
  const paragraphs = [
    `${requestedBy} asks that ${email} gets these emails about invoices of ${oneLine(customer)}, billed to ${oneLine(profile)}:`,
    notices.join('\n'),
    `To confirm or to decline, open this link within ${CONFIRMATION_DAYS} days. It works once.\n${baseUrl}/confirm?link=${link}`,
    'If you did not expect this, decline, or do nothing: without your confirmation, no invoices are sent.',
    '-- \nThis email was sent because your address was entered. You can unsubscribe at any time.',
  ]
  return {
    subject: `Confirm invoice emails of ${oneLine(customer)}`,
    text: `${paragraphs.join('\n\n')}\n`,
    headers: NO_ANSWER,
  }
}
