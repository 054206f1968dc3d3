import 'server-only'
import { sql } from 'drizzle-orm'
import { customersWithConfirmations } from '#lib/identity/access/due-work.ts'
import { confirmationLink } from '#lib/identity/access/notice-link.ts'
import { oneLine } from '#lib/notifications/notices/digest.ts'
import { setFailure } from '#lib/notifications/notices/recipients.ts'
import { NOTICE_NAMES, NOTICES, type Notice } from '#lib/notifications/notices/rules.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { designedMail } from '#lib/platform/mail/layout.ts'
import type { Message } from '#lib/platform/mail/mailer.ts'
import type { MailKind } from '#lib/platform/outbox/mail.ts'
import { env } from '#lib/platform/runtime/env.ts'
import { CONFIRMATION_DAYS } from './rules.ts'
import { readRequestNames } from './store.ts'

type Request = {
  id: string
  email: string
  customer: string
  profile: string
  kinds: Notice[]
  attachesPdf: boolean
  /** Address of the member who requested it. */
  requestedBy: string
}

type Requested = Omit<Request, 'email' | 'customer' | 'profile'> & { recipientId: string; profileId: string }

/** Mail that asks an address to confirm its notices: see `addRequest`. Obsolete once the request has an outcome. */
export const confirmationMail: MailKind = {
  ...{ kind: 'confirmation', retrySeconds: 5 * 60, usefulSeconds: 86_400 },
  idOf: ({ recipient }) => `confirm.${recipient}`,
  async render(tx, { customerId, recipient: id }) {
    const { rows: requests } = await tx.execute<Requested>(sql`
      SELECT q.id, q.recipient_id AS "recipientId", q.billing_profile_id AS "profileId", q.kinds,
        q.attaches_pdf AS "attachesPdf", m.email AS "requestedBy"
      FROM notice_confirmations q
      JOIN members m ON m.customer_id = ${customerId} AND m.id = q.requested_by
      WHERE q.customer_id = ${customerId} AND q.id = ${id} AND q.outcome IS NULL`)
    const [request] = requests
    const to = request && (await readRequestNames(tx, customerId, request))
    const row: Request | undefined = request && to?.isOpen ? { ...request, ...to } : undefined
    return row && { to: row.email, mail: messageOf(customerId, row, env().baseUrl) }
  },
  async record(tx, { customerId, recipient: id }, outcome, delivery) {
    const reason = 'reason' in outcome ? outcome.reason : null
    const { rows } = await tx.execute<{ recipientId: string }>(sql`
      UPDATE notice_confirmations SET state = ${outcome.state}, reason = ${reason}
      WHERE customer_id = ${customerId} AND id = ${id} RETURNING recipient_id AS "recipientId"`)
    for (const { recipientId } of rows) await setFailure(tx, customerId, recipientId, delivery)
  },
}

/**
 * Moves mails that the previous release has queued into the outbox, each once: a process of that release that sends one
 * of them holds it for its lease.
 * @returns how many
 */
export async function adoptConfirmations(_requestId: string, signal: AbortSignal): Promise<number> {
  let count = 0
  for (const customerId of await customersWithConfirmations()) {
    if (signal.aborted) break
    count += await scope({ customerId }, (tx) => adoptOf(tx, customerId))
  }
  return count
}

async function adoptOf(tx: Transaction, customerId: CustomerId): Promise<number> {
  const { rowCount } = await tx.execute(sql`
    WITH adopted AS (
      UPDATE notice_confirmations SET state = 'WAITING', not_before = 'infinity'
      WHERE customer_id = ${customerId} AND id IN (
        SELECT id FROM notice_confirmations
        WHERE customer_id = ${customerId} AND outcome IS NULL AND state IN ('WAITING', 'SENDING')
          AND not_before <= statement_timestamp() FOR UPDATE SKIP LOCKED)
      RETURNING customer_id, id, created_at)
    INSERT INTO outbox (customer_id, kind, recipient, created_at)
    SELECT customer_id, 'confirmation', id, created_at FROM adopted ORDER BY created_at`)
  return rowCount ?? 0
}

/** Returns the mail with the link. It has no text that an Admin chooses: it goes to an address that is not verified yet. */
function messageOf(customerId: CustomerId, request: Request, baseUrl: string): Message {
  const { id, customer, profile, kinds, attachesPdf, email, requestedBy } = request
  const link = confirmationLink({ customerId, confirmationId: id })
  const list = NOTICES.filter((notice) => kinds.includes(notice)).map((notice) => {
    const more = notice === 'new' && attachesPdf ? ', with their PDFs attached' : ''
    return `${NOTICE_NAMES[notice]}${more}`
  })
  const company = oneLine(customer)
  return designedMail({
    subject: `Confirm invoice emails of ${company}`,
    company,
    title: 'Confirm invoice emails',
    blocks: [
      {
        text: `${requestedBy} asks that ${email} gets these emails about invoices of ${company}, billed to ${oneLine(profile)}:`,
      },
      { list },
      {
        text: `To confirm or decline, open this link within ${CONFIRMATION_DAYS} days. It works once.`,
      },
      { button: { label: 'Confirm or decline', href: `${baseUrl}/confirm?link=${link}` } },
      {
        text: 'If you did not expect this, decline or ignore this email. Without your confirmation, no invoices are sent.',
      },
    ],
    why: 'This email was sent because your address was entered. You can unsubscribe at any time.',
  })
}
