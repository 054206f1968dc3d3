import 'server-only'
import { sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { addMailChanges, listUntold } from './licenses.ts'
import { noticesOf } from './rules.ts'
import { listCandidates, readDays, type To } from './store.ts'
import { isNeedsMailDue } from './weekly.ts'

// Outbox: a mail is recorded with its contents before the send, and settled after the send. After a crash in between, a
// mail leaves at most twice, and two processes never work on the same mail.

/** Most sends of one mail while its outcome is unknown. */
const MAX_ATTEMPTS = 2

/** Minutes after which the process with a mail in flight counts as dead; a send takes one. */
const LEASE = 15

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
 * Claims the mail to send to a recipient now: a mail with an unknown outcome once more, else a new one with the news,
 * at most one a day.
 * @returns the day of the mail; undefined where there is nothing to send, or another process holds the claim
 */
export async function claimMail(tx: Transaction, to: To): Promise<string | undefined> {
  const { customerId, recipientId } = to
  const { rows: free } = await tx.execute(sql`
    SELECT FROM notice_recipients
    WHERE customer_id = ${customerId} AND id = ${recipientId} AND failure IS NULL
    FOR NO KEY UPDATE SKIP LOCKED`)
  if (free.length === 0) return undefined
  const { rows } = await tx.execute<{ toldOn: string; busy: boolean; attempts: number }>(sql`
    SELECT told_on::text AS "toldOn", attempts, claimed_at > now() - make_interval(mins => ${LEASE}::int) AS busy
    FROM notice_mails
    WHERE customer_id = ${customerId} AND recipient_id = ${recipientId} AND state = 'SENDING'`)
  const [left] = rows
  if (left?.busy) return undefined
  if (left && left.attempts < MAX_ATTEMPTS) {
    await change(tx, to, left.toldOn, sql`attempts = attempts + 1, claimed_at = now()`)
    return left.toldOn
  }
  if (left) await giveUp(tx, to, left.toldOn)
  return writeMail(tx, to)
}

async function writeMail(tx: Transaction, to: To): Promise<string | undefined> {
  const { customerId, recipientId } = to
  const { today, lastReminder } = await readDays(tx, to)
  const { rows } = await tx.execute(sql`
    SELECT FROM notice_mails
    WHERE customer_id = ${customerId} AND recipient_id = ${recipientId} AND told_on = ${today}`)
  if (rows.length > 0) return undefined
  const candidates = await listCandidates(tx, to)
  const notices = candidates.flatMap((candidate) =>
    noticesOf(candidate, today, lastReminder).map((kind) => {
      const isAgain = kind === 'past-due' && Boolean(candidate.toldOn[kind])
      return { id: candidate.id, kind, isAgain }
    }),
  )
  const changes = await listUntold(tx, to)
  const isForNeeds = await isNeedsMailDue(tx, to, today)
  if (notices.length + changes.length === 0 && !isForNeeds) return undefined
  const reminds = notices.some(({ isAgain }) => isAgain)
  await tx.execute(sql`
    INSERT INTO notice_mails (customer_id, recipient_id, told_on, reminds, tells_needs)
    VALUES (${customerId}, ${recipientId}, ${today}, ${reminds}, ${isForNeeds})`)
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

/** Marks the mail's outcome as unknown; the mail is not sent again. */
export async function giveUp(tx: Transaction, to: To, notifiedOn: string): Promise<void> {
  await change(tx, to, notifiedOn, sql`state = 'UNKNOWN'`)
}

/** Marks the mail as sent. */
export async function setSent(tx: Transaction, to: To, notifiedOn: string): Promise<void> {
  await change(tx, to, notifiedOn, sql`state = 'SENT'`)
}

/** Marks the mail as permanently rejected, and with `address` the recipient as well. */
export async function setRejected(
  tx: Transaction,
  to: To,
  notifiedOn: string,
  { reason, address }: { reason: string; address: boolean },
): Promise<void> {
  await change(tx, to, notifiedOn, sql`state = 'REFUSED', reason = ${reason}`)
  if (!address) return
  await tx.execute(sql`
    UPDATE notice_recipients SET failure = ${reason}, failed_at = now()
    WHERE customer_id = ${to.customerId} AND id = ${to.recipientId}`)
}

/**
 * Releases a mail that certainly did not leave this time. Its news goes into a later mail; a mail that may have left
 * before is tried again unchanged.
 */
export async function withdraw(tx: Transaction, to: To, notifiedOn: string): Promise<void> {
  const { customerId, recipientId } = to
  await tx.execute(sql`
    DELETE FROM notice_mails
    WHERE customer_id = ${customerId} AND recipient_id = ${recipientId} AND told_on = ${notifiedOn}
      AND state = 'SENDING' AND attempts = 1`)
  await change(tx, to, notifiedOn, sql`attempts = attempts - 1`)
}

async function change(
  tx: Transaction,
  { customerId, recipientId }: To,
  notifiedOn: string,
  set: ReturnType<typeof sql>,
) {
  await tx.execute(sql`
    UPDATE notice_mails SET ${set}
    WHERE customer_id = ${customerId} AND recipient_id = ${recipientId} AND told_on = ${notifiedOn}
      AND state = 'SENDING'`)
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
