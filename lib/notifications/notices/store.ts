import 'server-only'
import { type SQL, sql } from 'drizzle-orm'
import type { DocumentForm } from '#lib/billing/invoices/rules.ts'
import { isPastDue, issued, payable } from '#lib/billing/invoices/selection.ts'
import { wireIdOf } from '#lib/billing/invoices/wire-ids.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { today } from '#lib/platform/db/schema/columns.ts'
import { invoices } from '#lib/platform/db/schema/invoices/invoices.ts'
import { type Candidate, DUE_WITHIN, type MailInvoice, type Notice } from './rules.ts'

/** Whose mail: each statement here names both. */
export type To = { customerId: CustomerId; recipientId: string }

/** What the recipient gets of each billing profile, less what they have stopped. */
const subscriptionsQuery = ({ customerId, recipientId }: To): SQL => sql`
  SELECT s.billing_profile_id, s.since, s.attaches_pdf,
    ARRAY(SELECT unnest(s.kinds) EXCEPT SELECT unnest(r.stopped)) AS wanted
  FROM notice_subscriptions s
  JOIN notice_recipients r ON r.customer_id = s.customer_id AND r.id = s.recipient_id
  WHERE s.customer_id = ${customerId} AND s.recipient_id = ${recipientId}`

export type CandidateRow = Candidate & { id: string }

/**
 * Returns the issued invoices of the recipient's billing profiles that a mail may report: past-due ones, those due soon,
 * and those that have arrived since the day before the last mail. (An import that began earlier has ended by now.) A
 * draft that is issued arrives at that moment: `created_at` is set then.
 */
export async function listCandidates(tx: Transaction, to: To): Promise<CandidateRow[]> {
  const { customerId, recipientId } = to
  const { id, billingProfileId, dueDate, createdAt, isHistory } = invoices
  const columns = sql`${id}, ${billingProfileId}, ${dueDate}, ${createdAt}, ${isHistory}, ${payable} AS payable`
  const mine = sql`${invoices.customerId} = ${customerId} AND ${billingProfileId} IN (SELECT * FROM profiles) AND ${issued}`
  const { rows } = await tx.execute<Row>(sql`
    WITH own AS (${subscriptionsQuery(to)}),
    profiles AS (SELECT billing_profile_id FROM own),
    found AS (
      SELECT ${columns} FROM ${invoices} WHERE ${mine} AND ${isPastDue}
      UNION
      SELECT ${columns} FROM ${invoices}
      WHERE ${mine} AND ${invoices.balanceAmount} <> 0 AND ${payable} > 0 AND ${dueDate} BETWEEN ${today} AND ${today} + ${DUE_WITHIN}::int
      UNION
      SELECT ${columns} FROM ${invoices}
      WHERE ${mine} AND NOT ${isHistory} AND ${createdAt} >= greatest(
          (SELECT min(since) FROM own WHERE 'new' = ANY (wanted)),
          (SELECT (max(told_on) - 1)::timestamp AT TIME ZONE 'UTC' FROM notice_mails
           WHERE customer_id = ${customerId} AND recipient_id = ${recipientId})))
    SELECT f.id, f.due_date::text AS "dueDate", f.payable > 0 AS "isOpen", f.created_at >= own.since AS "isNew",
      f.is_history AS "isHistory", own.wanted, mailed.late AS "lateOn", mailed.due AS "dueOn", mailed.new AS "newOn"
    FROM found f
    JOIN own USING (billing_profile_id)
    CROSS JOIN LATERAL (
      SELECT max(told_on) FILTER (WHERE kind = 'past-due')::text AS late,
        max(told_on) FILTER (WHERE kind = 'due')::text AS due, max(told_on) FILTER (WHERE kind = 'new')::text AS new
      FROM notices n
      WHERE n.customer_id = ${customerId} AND n.recipient_id = ${recipientId} AND n.invoice_id = f.id) mailed`)
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
    SELECT ${today}::text AS today, max(told_on)::text AS "lastReminder" FROM notice_mails
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

/**
 * What a mail tells: of what was written down for it, what the recipient still wants. With one past-due notice it has
 * all past-due invoices, so that its count and sums are the console's.
 */
export async function listMailInvoices(
  tx: Transaction,
  to: To,
  notifiedOn: string,
): Promise<MailInvoiceRow[]> {
  const { customerId, recipientId } = to
  const { rows } = await tx.execute<MailInvoiceRow & { notices: Notice[] }>(sql`
    WITH own AS (${subscriptionsQuery(to)}),
    mailed AS (
      SELECT invoice_id, kind FROM notices
      WHERE customer_id = ${customerId} AND recipient_id = ${recipientId} AND told_on = ${notifiedOn}),
    named AS (
      SELECT invoice_id, kind FROM mailed
      UNION
      SELECT ${invoices.id}, 'past-due' FROM ${invoices}
      WHERE ${invoices.customerId} = ${customerId} AND ${issued} AND ${isPastDue}
        AND EXISTS (SELECT FROM mailed WHERE kind = 'past-due')
        AND ${invoices.billingProfileId} IN (SELECT billing_profile_id FROM own))
    SELECT ${wireIdOf('invoices', sql`${customerId}`)} AS id, invoices.number, p.name AS profile, platform, issuer,
      invoice_date::text AS "invoiceDate", due_date::text AS "dueDate", currency, total_amount AS "totalAmount",
      balance_amount AS "balanceAmount", payable_amount AS "payableAmount", ${payable} > 0 AS "isOpen",
      array_agg(n.kind) AS notices, invoices.id AS key, invoices.billing_profile_id AS "billingProfileId", form,
      own.attaches_pdf AS "attachesPdf", (
        SELECT payment_url FROM issuers s WHERE s.customer_id = ${customerId} AND s.name = invoices.issuer) AS "paymentUrl"
    FROM named n
    JOIN ${invoices} ON invoices.customer_id = ${customerId} AND invoices.id = n.invoice_id
    JOIN own ON own.billing_profile_id = invoices.billing_profile_id AND n.kind = ANY (own.wanted)
    JOIN billing_profiles p ON p.customer_id = invoices.customer_id AND p.id = invoices.billing_profile_id
    WHERE ${issued}
    GROUP BY invoices.customer_id, invoices.id, p.customer_id, p.id, own.attaches_pdf`)
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
