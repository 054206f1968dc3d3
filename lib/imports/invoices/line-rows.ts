import 'server-only'
import { sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { holdAll } from '../all-rows.ts'
import { LINE_COLUMNS } from '../posting/shapes.ts'
import type { StoredInvoice, StoredLine } from './stored.ts'

// rows.ts says why each statement here leaves the planner one way only.

const MOST_ROWS = 5000

const POSTING = [...LINE_COLUMNS, ['carried', 'text[]', 'carried']] as const
const names = sql.raw(POSTING.map(([column]) => column).join(', '))
const asFields = sql.raw(
  POSTING.map(([column, type, field]) => `${column}${type === 'date' ? '::text' : ''} AS "${field}"`).join(
    ', ',
  ),
)
const asRecord = sql.raw(POSTING.map(([, type, field]) => `"${field}" ${type}`).join(', '))

/** The lines of these invoices in their order, by the invoice's id. */
export async function readLines(
  tx: Transaction,
  customerId: CustomerId,
  ids: readonly string[],
): Promise<Map<string, StoredLine[]>> {
  const lines = new Map<string, StoredLine[]>(ids.map((id) => [id, []]))
  if (ids.length === 0) return lines
  const { rows } = await tx.execute<StoredLine & { invoiceId: string }>(sql`
    SELECT found.* FROM unnest(${textsOf(ids)}) AS given(id) CROSS JOIN LATERAL (
      SELECT invoice_id AS "invoiceId", type, description, price, qty, details, ${asFields}
      FROM line_items WHERE customer_id = ${customerId} AND invoice_id = given.id ORDER BY position) AS found`)
  for (const { invoiceId, ...line } of rows) lines.get(invoiceId)?.push(line)
  return lines
}

/** Takes the lines of these invoices away. */
export async function dropLines(tx: Transaction, customerId: CustomerId, ids: readonly string[]) {
  await tx.execute(sql`
    DELETE FROM line_items WHERE customer_id = ${customerId} AND ctid = ANY (ARRAY(
      SELECT found.ctid FROM unnest(${textsOf(ids)}) AS given(id) CROSS JOIN LATERAL (
        SELECT ctid FROM line_items WHERE customer_id = ${customerId} AND invoice_id = given.id OFFSET 0) AS found))`)
}

/** Adds the lines of invoices that have none, and how their prices were made where that is known. */
export async function addLines(tx: Transaction, customerId: CustomerId, from: readonly StoredInvoice[]) {
  const rows = from.flatMap(({ id, currency, lines }) =>
    lines.map((line, position) => ({ ...line, invoiceId: id, currency, position })),
  )
  for (let at = 0; at < rows.length; at += MOST_ROWS) {
    const portion = rows.slice(at, at + MOST_ROWS)
    const invoice = portion[0]?.invoiceId
    const written = await tx.execute(sql`
      INSERT INTO line_items (customer_id, invoice_id, position, type, description, price, qty, currency, details,
        ${names})
      SELECT own.customer_id, r.*
      FROM invoices AS own, json_to_recordset(${JSON.stringify(portion)}::json)
        AS r("invoiceId" text, position int, type text, description text, price numeric, qty numeric,
          currency text, details text, ${asRecord})
      WHERE own.customer_id = ${customerId} AND own.id = ${invoice}`)
    holdAll(written, portion.length)
    const priced = portion.flatMap(({ invoiceId, position, priced: how }) =>
      how ? [{ invoiceId, position, ...how }] : [],
    )
    if (priced.length > 0)
      await tx.execute(sql`
        INSERT INTO line_prices (customer_id, invoice_id, position, rule, billed_cost)
        SELECT own.customer_id, r.*
        FROM invoices AS own, json_to_recordset(${JSON.stringify(priced)}::json)
          AS r("invoiceId" text, position int, rule text, "billedCost" numeric)
        WHERE own.customer_id = ${customerId} AND own.id = ${invoice}`)
  }
}

const textsOf = (ids: Iterable<string>) => sql`${sql.param([...ids].sort())}::text[]`
