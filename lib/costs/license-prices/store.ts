import 'server-only'
import { eq, type SQL, sql } from 'drizzle-orm'
import type { Owner } from '#lib/billing/invoices/selection.ts'
import { wireIdOf } from '#lib/billing/invoices/wire-ids.ts'
import { billedPeriod } from '#lib/costs/billed-period.ts'
import { LICENSE_TYPES } from '#lib/licenses/assets/rules.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { today } from '#lib/platform/db/schema/columns.ts'
import { customers } from '#lib/platform/db/schema/customers.ts'
import { DAY_MS, dayOf, epochOfDay } from '#lib/platform/values/days.ts'
import type { PriceLine } from './rules.ts'

/** Most invoices of a platform that are checked for a second currency, which would make the price ambiguous. */
const MAX_INVOICES = 20
/** Most lines that are read of the newest invoice. */
const MAX_LINES = 2000

/** Line of the newest invoice of a platform that sells licenses, with fields of that invoice. */
export type NewestLine = PriceLine & {
  number: string
  /** The key of the invoice's row. */
  invoiceKey: string
  /** Imported for the record. */
  isHistory: boolean
  /** Days of UTC since the invoice's day. */
  age: number
  /** The currency of the invoice itself. */
  invoiceCurrency: string
  /** Whether the preceding invoices are in other currencies. */
  isMixed: boolean
  details: string | null
  type: string
}

/** Returns the lines of the newest issued invoice of each licensed platform, among those visible to the owner. */
export async function listNewestLines(tx: Transaction, { customerId, billingProfiles }: Owner) {
  const profiles = sql`${sql.param([...billingProfiles])}::text[]`
  const newestOf: SQL = sql`
    SELECT id, wire_id, number, invoice_date, currency, is_history,
      count(*) OVER () <> count(*) OVER (PARTITION BY currency) AS mixed
    FROM (
      SELECT i.id, ${wireIdOf('i', sql`${customerId}`)} AS wire_id, i.number, i.invoice_date, i.currency, i.is_history FROM invoices i
      WHERE i.customer_id = ${customerId} AND i.platform = p.platform AND i.document_state = 'issued'
        AND i.billing_profile_id = ANY (${profiles})
      ORDER BY i.invoice_date DESC, i.id DESC LIMIT ${MAX_INVOICES}) latest
    ORDER BY invoice_date DESC, id DESC LIMIT 1`
  const { rows } = await tx.execute<NewestLine>(sql`
    SELECT p.platform, n.id AS "invoiceKey", n.wire_id AS "invoiceId", n.number, n.invoice_date::text AS "invoiceDate",
      ${today} - n.invoice_date AS age, n.currency AS "invoiceCurrency", n.is_history AS "isHistory",
      n.mixed AS "isMixed", l.type, l.description, l.price::text AS price, l.qty::text AS qty, l.currency, l.details,
      l.period_start::text AS "periodStart", l.period_end::text AS "periodEnd"
    FROM unnest(${sql.param([...LICENSE_TYPES])}::text[]) AS p(platform)
    CROSS JOIN LATERAL (${newestOf}) n
    CROSS JOIN LATERAL (
      SELECT * FROM line_items l WHERE l.customer_id = ${customerId} AND l.invoice_id = n.id
      ORDER BY l.position LIMIT ${MAX_LINES}) l
    ORDER BY p.platform, l.position`)
  return rows.map(withPeriod)
}

/** Fills in a line's period from its text where the period fields are empty. */
function withPeriod(line: NewestLine): NewestLine {
  if (line.periodStart !== null && line.periodEnd !== null) return line
  const { from, to, isStated } = billedPeriod(line.details ?? undefined, epochOfDay(line.invoiceDate))
  return isStated ? { ...line, periodStart: dayOf(from), periodEnd: dayOf(to + DAY_MS) } : line
}

/** Returns whether the customer hides prices from members without access to invoices. */
export async function readHidesPrices(tx: Transaction, customerId: CustomerId): Promise<boolean> {
  const rows = await tx
    .select({ hidesPrices: customers.hidesPrices })
    .from(customers)
    .where(eq(customers.id, customerId))
  return rows[0]?.hidesPrices ?? false
}

/**
 * Takes effect from the next request on.
 * @returns whether the setting changed: of two equal parallel calls, only one changes it
 */
export async function setHidesPrices(
  tx: Transaction,
  customerId: CustomerId,
  hidesPrices: boolean,
): Promise<boolean> {
  const changed = await tx
    .update(customers)
    .set({ hidesPrices })
    .where(sql`${customers.id} = ${customerId} AND ${customers.hidesPrices} <> ${hidesPrices}`)
    .returning({ id: customers.id })
  return changed.length > 0
}
