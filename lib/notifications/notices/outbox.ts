import 'server-only'
import { sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import type { Delivery } from '#lib/platform/mail/mailer.ts'
import { enqueue } from '#lib/platform/outbox/store.ts'
import { addMailChanges, listUntold } from './licenses.ts'
import { setFailure } from './recipients.ts'
import { isPastDue, noticesOfAll } from './rules.ts'
import { listCandidates, readDays, type To } from './store.ts'
import { isNeedsMailDue } from './weekly.ts'

// A mail of notices is recorded with its contents before it is sent, so that each notice is sent once. The message in the
// outbox carries the day of the mail.

const MAX_ROWS = 5000

/** Returns the ids of recipients that may be mailed, unsorted. */
export async function listRecipients(tx: Transaction, customerId: CustomerId): Promise<string[]> {
  const { rows } = await tx.execute<{ id: string }>(sql`
    SELECT id FROM notice_recipients r
    WHERE customer_id = ${customerId} AND failure IS NULL AND (
      (r.licenses_since IS NOT NULL AND NOT 'licenses' = ANY (r.stopped))
      OR (r.needs_since IS NOT NULL AND NOT 'needs' = ANY (r.stopped)) OR EXISTS (
        SELECT FROM notice_subscriptions s
        WHERE s.customer_id = ${customerId} AND s.recipient_id = r.id AND NOT s.kinds <@ r.stopped))`)
  return rows.map(({ id }) => id)
}

/**
 * Writes the mail that a recipient is to get now, with its message in the outbox, unless one of theirs is still open: at
 * most one a day, and none without news.
 * @returns whether there is one
 */
export async function enqueueMail(tx: Transaction, to: To): Promise<boolean> {
  const { customerId, recipientId: recipient } = to
  const { rows: free } = await tx.execute(sql`
    SELECT FROM notice_recipients r
    WHERE customer_id = ${customerId} AND id = ${recipient} AND failure IS NULL AND NOT EXISTS (
      SELECT FROM notice_mails m
      WHERE m.customer_id = ${customerId} AND m.recipient_id = ${recipient} AND m.state = 'SENDING')
    FOR NO KEY UPDATE OF r SKIP LOCKED`)
  const on = free.length > 0 ? await writeMail(tx, to) : undefined
  if (on === undefined) return false
  await enqueue(tx, customerId, [{ kind: 'notice', recipient, content: { on } }])
  return true
}

/** Moves mails of the previous release whose process has died into the outbox, with their attempts. */
export async function adoptMails(tx: Transaction, customerId: CustomerId): Promise<void> {
  await tx.execute(sql`
    WITH adopted AS (
      UPDATE notice_mails SET claimed_at = 'infinity'
      WHERE customer_id = ${customerId} AND state = 'SENDING' AND claimed_at < now() - interval '15 minutes'
      RETURNING customer_id, recipient_id, told_on, attempts)
    INSERT INTO outbox (customer_id, kind, recipient, content, attempts)
    SELECT customer_id, 'notice', recipient_id, jsonb_build_object('on', told_on), attempts FROM adopted`)
}

async function writeMail(tx: Transaction, to: To): Promise<string | undefined> {
  const { customerId, recipientId } = to
  const { today, lastReminder } = await readDays(tx, to)
  const { rows } = await tx.execute(sql`
    SELECT FROM notice_mails
    WHERE customer_id = ${customerId} AND recipient_id = ${recipientId} AND told_on = ${today}`)
  if (rows.length > 0) return undefined
  const candidates = await listCandidates(tx, to)
  const notices = noticesOfAll(candidates, today, lastReminder).map(({ candidate: { id }, kind }) => ({
    id,
    kind,
  }))
  const changes = await listUntold(tx, to)
  const isForNeeds = await isNeedsMailDue(tx, to, today)
  if (notices.length + changes.length === 0 && !isForNeeds) return undefined
  // A mail about one past-due invoice names all, also those of earlier mails.
  const namesPastDue = notices.some(({ kind }) => kind === 'past-due')
  const reminds = namesPastDue && candidates.some((one) => isPastDue(one, today) && one.toldOn['past-due'])
  await tx.execute(sql`
    INSERT INTO notice_mails (customer_id, recipient_id, told_on, reminds, tells_needs, claimed_at)
    VALUES (${customerId}, ${recipientId}, ${today}, ${reminds}, ${isForNeeds}, 'infinity')`)
  for (let at = 0; at < notices.length; at += MAX_ROWS)
    await tx.execute(sql`
      INSERT INTO notices (customer_id, recipient_id, invoice_id, kind, told_on)
      SELECT own.customer_id, own.recipient_id, t.id, t.kind, own.told_on
      FROM notice_mails AS own,
        json_to_recordset(${JSON.stringify(notices.slice(at, at + MAX_ROWS))}::json) AS t(id text, kind text)
      WHERE own.customer_id = ${customerId} AND own.recipient_id = ${recipientId} AND own.told_on = ${today}`)
  await addMailChanges(tx, to, today, changes)
  return today
}

/** Returns whether the mail of a day includes the recipient's needs. */
export async function includesNeeds(tx: Transaction, to: To, notifiedOn: string): Promise<boolean> {
  const { rows } = await tx.execute(sql`
    SELECT FROM notice_mails
    WHERE customer_id = ${to.customerId} AND recipient_id = ${to.recipientId} AND told_on = ${notifiedOn} AND tells_needs`)
  return rows.length > 0
}

/**
 * Records the outcome of a mail, and how often it may have left. One that certainly did not leave is removed, and its
 * news goes into a later mail. A rejected address gets no further mails.
 */
export async function recordDelivery(
  tx: Transaction,
  { customerId, recipientId }: To,
  { on, attempts }: { on: string; attempts: number },
  delivery: Delivery | undefined,
): Promise<void> {
  const isMail = sql`customer_id = ${customerId} AND recipient_id = ${recipientId} AND told_on = ${on} AND state = 'SENDING'`
  const hasNotLeft = delivery?.kind === 'later' || delivery?.kind === 'away'
  if (hasNotLeft && attempts === 1)
    return void (await tx.execute(sql`DELETE FROM notice_mails WHERE ${isMail}`))
  const reason = delivery?.kind === 'refused' ? delivery.reason : null
  const state = delivery?.kind === 'sent' ? 'SENT' : delivery?.kind === 'refused' ? 'REFUSED' : 'UNKNOWN'
  await tx.execute(sql`
    UPDATE notice_mails SET state = ${state}, attempts = ${attempts}, reason = ${reason} WHERE ${isMail}`)
  await setFailure(tx, customerId, recipientId, delivery)
}

const RETENTION = sql`interval '2 years'`

/**
 * Removes the customer's old mails with their contents, except the last one to a recipient and those about open
 * invoices: they record the notices already sent.
 * @returns the number of removed mails
 */
export async function pruneMails(tx: Transaction, customerId: CustomerId): Promise<number> {
  const { rowCount } = await tx.execute(sql`
    DELETE FROM notice_mails m
    WHERE m.customer_id = ${customerId} AND m.state <> 'SENDING' AND m.told_on < now() - ${RETENTION}
      AND EXISTS (
        SELECT FROM notice_mails n
        WHERE n.customer_id = ${customerId} AND n.recipient_id = m.recipient_id AND n.told_on > m.told_on)
      AND NOT EXISTS (
        SELECT FROM notices t
        JOIN invoices i ON i.customer_id = t.customer_id AND i.id = t.invoice_id
        WHERE t.customer_id = ${customerId} AND t.recipient_id = m.recipient_id AND t.told_on = m.told_on
          AND i.balance_amount <> 0)`)
  return rowCount ?? 0
}
