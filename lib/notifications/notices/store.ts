import 'server-only'
import { type SQL, sql } from 'drizzle-orm'
import type { DocumentForm } from '#lib/billing/invoices/rules.ts'
import { wireIdOf } from '#lib/billing/invoices/wire-ids.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { type Candidate, DUE_WITHIN, type MailInvoice, type Notice } from './rules.ts'

/** Whose mail: each statement here names both. */
export type To = { customerId: CustomerId; recipientId: string }

/** The database's day in UTC. */
const TODAY = sql`(now() AT TIME ZONE 'UTC')::date`

/**
 * Mails are of issued invoices that were not imported for the record. A draft that is issued begins to be there then:
 * its `created_at` is of that moment, and so it is new.
 */
const IS_NOTIFIABLE = sql`i.document_state = 'issued' AND NOT i.is_history`

/**
 * Payable amount of an invoice: no reminder is sent for less than a minor unit, or for an amount that a credit note
 * sets off.
 */
const PAYABLE = sql`coalesce(i.payable_amount, i.balance_amount)`

/** What the recipient gets of each billing profile, less what they have stopped. */
const subscriptionsQuery = ({ customerId, recipientId }: To): SQL => sql`
  SELECT s.billing_profile_id, s.since, s.attaches_pdf,
    ARRAY(SELECT unnest(s.kinds) EXCEPT SELECT unnest(r.stopped)) AS wanted
  FROM notice_subscriptions s
  JOIN notice_recipients r ON r.customer_id = s.customer_id AND r.id = s.recipient_id
  WHERE s.customer_id = ${customerId} AND s.recipient_id = ${recipientId}`

export type CandidateRow = Candidate & { id: string }

/**
 * The invoices of the recipient's billing profiles of which something may be to tell: what is open and due by then,
 * and what has arrived since the day before the last mail. (An import that began earlier has ended by now.)
 */
export async function listCandidates(tx: Transaction, to: To): Promise<CandidateRow[]> {
  const { customerId, recipientId } = to
  const columns = sql`i.id, i.billing_profile_id, i.due_date, ${PAYABLE} AS payable, i.created_at`
  const mine = sql`i.customer_id = ${customerId} AND i.billing_profile_id IN (SELECT * FROM profiles) AND ${IS_NOTIFIABLE}`
  const { rows } = await tx.execute<Row>(sql`
    WITH own AS (${subscriptionsQuery(to)}),
    profiles AS (SELECT billing_profile_id FROM own),
    found AS (
      SELECT ${columns} FROM invoices i
      WHERE ${mine} AND i.balance_amount <> 0 AND ${PAYABLE} <> 0 AND i.due_date <= ${TODAY} + ${DUE_WITHIN}::int
      UNION
      SELECT ${columns} FROM invoices i
      WHERE ${mine} AND i.created_at >= greatest(
          (SELECT min(since) FROM own WHERE 'new' = ANY (wanted)),
          (SELECT (max(told_on) - 1)::timestamp AT TIME ZONE 'UTC' FROM notice_mails
           WHERE customer_id = ${customerId} AND recipient_id = ${recipientId})))
    SELECT f.id, f.due_date::text AS "dueDate", f.payable > 0 AS "isOpen", f.created_at >= own.since AS "isNew",
      own.wanted, told.late AS "lateOn", told.due AS "dueOn", told.new AS "newOn"
    FROM found f
    JOIN own USING (billing_profile_id)
    CROSS JOIN LATERAL (
      SELECT max(told_on) FILTER (WHERE kind = 'past-due')::text AS late,
        max(told_on) FILTER (WHERE kind = 'due')::text AS due, max(told_on) FILTER (WHERE kind = 'new')::text AS new
      FROM notices n
      WHERE n.customer_id = ${customerId} AND n.recipient_id = ${recipientId} AND n.invoice_id = f.id) told`)
  return rows.map(({ lateOn, dueOn, newOn, ...row }) => ({
    ...row,
    toldOn: { 'past-due': lateOn, due: dueOn, new: newOn },
  }))
}

type Row = Omit<CandidateRow, 'toldOn'> & Record<'lateOn' | 'dueOn' | 'newOn', string | null>

/** Today, and the day of the last mail that reminded the recipient of something. */
export async function readDays(
  tx: Transaction,
  { customerId, recipientId }: To,
): Promise<{ today: string; lastReminder: string | null }> {
  const { rows } = await tx.execute<{ today: string; lastReminder: string | null }>(sql`
    SELECT ${TODAY}::text AS today, max(told_on)::text AS "lastReminder" FROM notice_mails
    WHERE customer_id = ${customerId} AND recipient_id = ${recipientId} AND reminds`)
  return rows[0] ?? { today: '', lastReminder: null }
}

/** An invoice in a mail, as it stands now. Amounts are exact decimal text. */
export type MailInvoiceRow = MailInvoice & {
  /** As its issuer numbers it; the address has the id. */
  number: string
  profile: string
  platform: string
  issuer: string
  currency: string
  totalAmount: string
  balanceAmount: string
  /** What can be paid, where that is not the balance: in whole minor units, less what is set off. */
  payableAmount: string | null
  /** The row's key, and its billing profile. */
  key: string
  billingProfileId: string
  form: DocumentForm
  /** Whether its PDF is attached while it is new. */
  attachesPdf: boolean
  /** Its issuer's template of payment addresses. */
  paymentUrl: string | null
}

/** What a mail tells: of what was written down for it, what the recipient still wants. */
export async function listMailInvoices(
  tx: Transaction,
  to: To,
  notifiedOn: string,
): Promise<MailInvoiceRow[]> {
  const { customerId, recipientId } = to
  const { rows } = await tx.execute<MailInvoiceRow & { notices: Notice[] }>(sql`
    WITH own AS (${subscriptionsQuery(to)})
    SELECT ${wireIdOf('i')} AS id, i.number, p.name AS profile, i.platform, i.issuer, i.invoice_date::text AS "invoiceDate",
      i.due_date::text AS "dueDate", i.currency, i.total_amount AS "totalAmount", i.balance_amount AS "balanceAmount",
      i.payable_amount AS "payableAmount", ${PAYABLE} > 0 AS "isOpen", array_agg(n.kind) AS notices, i.id AS key,
      i.billing_profile_id AS "billingProfileId", i.form, own.attaches_pdf AS "attachesPdf", (
        SELECT payment_url FROM issuers s WHERE s.customer_id = ${customerId} AND s.name = i.issuer) AS "paymentUrl"
    FROM notices n
    JOIN invoices i ON i.customer_id = n.customer_id AND i.id = n.invoice_id
    JOIN own ON own.billing_profile_id = i.billing_profile_id AND n.kind = ANY (own.wanted)
    JOIN billing_profiles p ON p.customer_id = i.customer_id AND p.id = i.billing_profile_id
    WHERE n.customer_id = ${customerId} AND n.recipient_id = ${recipientId} AND n.told_on = ${notifiedOn}
      AND ${IS_NOTIFIABLE}
    GROUP BY i.customer_id, i.id, p.customer_id, p.id, own.attaches_pdf`)
  return rows
}

/** Who is written to: the customer's name, the address, and of how many billing profiles it is told. */
export async function readAddressee(
  tx: Transaction,
  { customerId, recipientId }: To,
): Promise<{ customer: string; email: string; profiles: number } | undefined> {
  const { rows } = await tx.execute<{ customer: string; email: string; profiles: number }>(sql`
    SELECT c.name AS customer, r.email, (
      SELECT count(*)::int FROM notice_subscriptions s
      WHERE s.customer_id = ${customerId} AND s.recipient_id = ${recipientId}) AS profiles
    FROM notice_recipients r JOIN customers c ON c.id = r.customer_id
    WHERE r.customer_id = ${customerId} AND r.id = ${recipientId}`)
  return rows[0]
}
