import 'server-only'
import { type SQL, sql } from 'drizzle-orm'
import { type Owner, visibleTo } from '#lib/billing/invoices/selection.ts'
import { wireIdOf } from '#lib/billing/invoices/wire-ids.ts'
import { seesAll } from '#lib/billing/payments/read.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import type { MovementKind } from './rules.ts'

/** Part of the account that is asked for; days `YYYY-MM-DD`, both inclusive. */
export type AccountSelection = {
  from: string
  to: string
  filter?: Partial<Record<'billingProfile' | 'currency', readonly string[] | undefined>> | undefined
}

/** Movement of an account: its balance grows by `amount`, exact decimal text, on `day`. */
export type Movement = {
  currency: string
  day: string
  kind: MovementKind
  amount: string
  billingProfileId: string | null
  /** Invoice with its id on the wire; null: the customer's credit. */
  invoiceId: string | null
  number: string | null
  reference: string | null
}

/** Sums of one currency as exact decimal text. */
export type AccountSums = { currency: string; opening: string; closing: string; credit: string }

/** Invoice with its balance at the end of the last day, exact decimal text. */
export type OpenAtEnd = {
  currency: string
  billingProfileId: string
  invoiceId: string
  number: string
  issuer: string
  invoiceDate: string
  dueDate: string
  total: string
  balance: string
}

/** Condition that a column has one of the chosen values; empty if none is chosen. */
function andAmong(column: string, values: readonly string[] | undefined): SQL {
  return values ? sql` AND ${sql.raw(column)} = ANY (${sql.param([...values])}::text[])` : sql``
}

/**
 * The movements from a day on, as relations of a WITH clause: `movements`. An invoice is owed from its date on; the one
 * that came into another one's place, from the day on which that one was voided. Its payments count from
 * then on, too. The customer's credit is included for callers who see all billing profiles, unless a profile is chosen.
 */
function movementsFrom(owner: Owner, { from, filter }: Pick<AccountSelection, 'from' | 'filter'>): SQL {
  const { customerId } = owner
  const mine = sql`${sql.join(visibleTo(owner), sql` AND `)}${andAmong('invoices.billing_profile_id', filter?.billingProfile)}${andAmong('invoices.currency', filter?.currency)}
    AND (invoices.document_state = 'issued' OR invoices.document_state = 'voided' AND invoices.voided_on IS NOT NULL)`
  const credit = filter?.billingProfile ? sql`false` : sql`(SELECT sees_all FROM caller)`
  return sql`
    caller AS MATERIALIZED (SELECT ${seesAll(owner)} AS sees_all),
    superseded AS MATERIALIZED (
      SELECT replaced_by AS id, max(voided_on) AS day FROM invoices
      WHERE customer_id = ${customerId} AND document_state = 'voided' AND voided_on >= ${from}::date
        AND replaced_by IS NOT NULL GROUP BY 1),
    begun AS MATERIALIZED (
      SELECT invoices.id, greatest(invoices.invoice_date, s.day) AS day FROM invoices
      LEFT JOIN superseded s ON s.id = invoices.id
      WHERE ${mine} AND (invoices.invoice_date >= ${from}::date OR s.id IS NOT NULL)),
    settling AS MATERIALIZED (
      SELECT e.invoice_id, e.payment_id, e.amount, e.cause, e.booked_on AS day FROM payment_entries e
      WHERE e.customer_id = ${customerId} AND e.booked_on >= ${from}::date
      UNION ALL
      SELECT e.invoice_id, e.payment_id, e.amount, e.cause, b.day FROM begun b
      JOIN payment_entries e ON e.customer_id = ${customerId} AND e.invoice_id = b.id AND e.booked_on < ${from}::date),
    movements AS (
      SELECT invoices.currency, b.day, CASE WHEN invoices.total_amount < 0 THEN 'credit-note' ELSE 'invoice' END AS kind,
        invoices.total_amount AS amount, invoices.billing_profile_id, invoices.id AS invoice_id, NULL AS payment_id, 1 AS place
      FROM begun b JOIN invoices ON invoices.customer_id = ${customerId} AND invoices.id = b.id
      UNION ALL
      SELECT invoices.currency, greatest(invoices.voided_on, b.day), 'voided', -invoices.total_amount,
        invoices.billing_profile_id, invoices.id, NULL, 3
      FROM invoices LEFT JOIN begun b ON b.id = invoices.id
      WHERE ${mine} AND invoices.document_state = 'voided'
        AND (invoices.voided_on >= ${from}::date OR b.id IS NOT NULL)
      UNION ALL
      SELECT invoices.currency, greatest(s.day, b.day), ${kindOf(sql`s`)}, -s.amount, invoices.billing_profile_id,
        invoices.id, s.payment_id, 2
      FROM settling s JOIN invoices ON ${mine} AND invoices.id = s.invoice_id
      JOIN payments p ON p.customer_id = ${customerId} AND p.id = s.payment_id
      LEFT JOIN begun b ON b.id = invoices.id
      UNION ALL
      SELECT p.currency, s.day, ${kindOf(sql`s`)}, -s.amount, NULL, NULL, s.payment_id, 2
      FROM settling s JOIN payments p ON p.customer_id = ${customerId} AND p.id = s.payment_id
      WHERE s.invoice_id IS NULL AND ${credit}${andAmong('p.currency', filter?.currency)})`
}

/** Kind of a movement by an entry: its payment's, or how the entry moved it. */
const kindOf = (entry: SQL) =>
  sql`CASE ${entry}.cause WHEN 'applied' THEN p.kind WHEN 'reversed' THEN 'reversal' ELSE 'allocation' END`

/** Lists the movements of the days, by currency and day. */
export async function listMovements(
  tx: Transaction,
  owner: Owner,
  selection: AccountSelection,
  limit: number,
): Promise<Movement[]> {
  const { rows } = await tx.execute<Movement>(sql`
    WITH ${movementsFrom(owner, selection)}
    SELECT m.currency, m.day::text, m.kind, trim_scale(m.amount)::text AS amount, m.billing_profile_id AS "billingProfileId",
      i.wire_id AS "invoiceId", i.number, p.reference
    FROM movements m
    LEFT JOIN LATERAL (SELECT ${wireIdOf('invoices', sql`${owner.customerId}`)} AS wire_id, invoices.number FROM invoices
      WHERE invoices.customer_id = ${owner.customerId} AND invoices.id = m.invoice_id) AS i ON true
    LEFT JOIN payments p ON p.customer_id = ${owner.customerId} AND p.id = m.payment_id
    WHERE m.day <= ${selection.to}::date
    ORDER BY m.currency, m.day, m.place, m.payment_id NULLS FIRST, m.invoice_id NULLS LAST, m.amount LIMIT ${limit}`)
  return rows
}

/**
 * Adds up the account per currency before the first day and after the last one: from the present balance, which the stored
 * sums have, back by the movements since.
 */
export async function sumAccount(
  tx: Transaction,
  owner: Owner,
  selection: AccountSelection,
): Promise<AccountSums[]> {
  const { customerId, billingProfiles } = owner
  const { from, to, filter } = selection
  const credit = filter?.billingProfile ? sql`false` : sql`(SELECT sees_all FROM caller)`
  const { rows } = await tx.execute<AccountSums>(sql`
    WITH ${movementsFrom(owner, selection)},
    credits AS MATERIALIZED (
      SELECT p.currency, sum(e.amount) AS amount, coalesce(sum(e.amount) FILTER (WHERE e.booked_on <= ${to}::date), 0) AS at_end
      FROM payment_entries e JOIN payments p ON p.customer_id = ${customerId} AND p.id = e.payment_id
      WHERE e.customer_id = ${customerId} AND e.invoice_id IS NULL AND ${credit}${andAmong('p.currency', filter?.currency)}
      GROUP BY 1),
    parts AS (
      SELECT currency, sum(balance) AS now, 0 AS since, 0 AS within, 0 AS credit FROM invoice_sums
      WHERE customer_id = ${customerId} AND billing_profile_id = ANY (${sql.param([...billingProfiles])}::text[])
        ${andAmong('billing_profile_id', filter?.billingProfile)}${andAmong('currency', filter?.currency)} GROUP BY 1
      UNION ALL SELECT currency, -amount, 0, 0, at_end FROM credits
      UNION ALL SELECT currency, 0, coalesce(sum(amount) FILTER (WHERE day > ${to}::date), 0),
        coalesce(sum(amount) FILTER (WHERE day <= ${to}::date), 0), 0 FROM movements GROUP BY 1)
    SELECT currency, trim_scale(sum(now) - sum(since) - sum(within))::text AS opening,
      trim_scale(sum(now) - sum(since))::text AS closing, trim_scale(sum(credit))::text AS credit
    FROM parts WHERE ${from}::date <= ${to}::date GROUP BY 1 ORDER BY 1`)
  return rows
}

/** Lists the invoices that were open at the end of the last day, the one that is due longest first. */
export async function listOpenAtEnd(
  tx: Transaction,
  owner: Owner,
  { to, filter }: AccountSelection,
  limit: number,
): Promise<OpenAtEnd[]> {
  const { customerId } = owner
  const mine = sql`${sql.join(visibleTo(owner), sql` AND `)}${andAmong('invoices.billing_profile_id', filter?.billingProfile)}${andAmong('invoices.currency', filter?.currency)}`
  const { rows } = await tx.execute<OpenAtEnd>(sql`
    WITH later AS MATERIALIZED (
      SELECT e.invoice_id AS id, sum(e.amount) AS amount FROM payment_entries e
      WHERE e.customer_id = ${customerId} AND e.booked_on > ${to}::date AND e.invoice_id IS NOT NULL GROUP BY 1),
    superseded AS MATERIALIZED (
      SELECT replaced_by AS id FROM invoices WHERE customer_id = ${customerId} AND document_state = 'voided'
        AND voided_on > ${to}::date AND replaced_by IS NOT NULL),
    candidates AS (
      SELECT invoices.id FROM invoices WHERE ${mine} AND invoices.document_state = 'issued' AND invoices.balance_amount <> 0
      UNION SELECT id FROM later
      UNION SELECT invoices.id FROM invoices WHERE ${mine} AND invoices.document_state = 'voided'
        AND invoices.voided_on > ${to}::date),
    owed AS (
      SELECT invoices.*, ${wireIdOf('invoices', sql`${customerId}`)} AS wire_id, coalesce(l.amount, 0)
        + CASE WHEN invoices.document_state = 'issued' THEN invoices.balance_amount ELSE invoices.total_amount END AS at_end
      FROM candidates c JOIN invoices ON ${mine} AND invoices.id = c.id LEFT JOIN later l ON l.id = c.id
      WHERE invoices.invoice_date <= ${to}::date AND NOT EXISTS (SELECT FROM superseded s WHERE s.id = c.id)
        AND (invoices.document_state = 'issued' OR invoices.document_state = 'voided' AND invoices.voided_on > ${to}::date))
    SELECT currency, billing_profile_id AS "billingProfileId", wire_id AS "invoiceId", number, issuer,
      invoice_date::text AS "invoiceDate", due_date::text AS "dueDate", trim_scale(total_amount)::text AS total,
      trim_scale(at_end)::text AS balance
    FROM owed WHERE at_end <> 0 ORDER BY currency, billing_profile_id, due_date, id LIMIT ${limit}`)
  return rows
}
