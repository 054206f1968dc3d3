import 'server-only'
import { type SQL, sql } from 'drizzle-orm'
import { freezeParties } from '#lib/billing/parties/store.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { assertAllWritten } from '../all-rows.ts'
import { INVOICE_COLUMNS, LINE_COLUMNS } from '../posting/schemas.ts'
import { keyOf, type StoredInvoice, type StoredLine } from './stored.ts'

// The planner doesn't know a customer's number of rows during the first import, nor before the next ANALYZE. So each
// statement here permits one plan only, by the primary key or by the number: row by row, sorted by that key and no
// other; and existing rows are overwritten by ON CONFLICT, not by a join.

type Numbered = Pick<StoredInvoice, 'issuer' | 'number'>

/** An invoice without its lines. */
type InvoiceHeader = Omit<StoredInvoice, 'lines'>

/** Each column of an invoice that an import writes: its name, its type, and the field that it is read from. */
const COLUMNS: readonly (readonly [column: string, type: string, field: keyof InvoiceHeader])[] = [
  ['id', 'text', 'id'],
  ['number', 'text', 'number'],
  ['is_numbered', 'boolean', 'isNumbered'],
  ['document_state', 'text', 'documentState'],
  ['form', 'text', 'form'],
  ['billing_profile_id', 'text', 'billingProfileId'],
  ['platform', 'text', 'platform'],
  ['issuer', 'text', 'issuer'],
  ['invoice_date', 'date', 'invoiceDate'],
  ['due_date', 'date', 'dueDate'],
  ['currency', 'text', 'currency'],
  ['total_amount', 'numeric', 'totalAmount'],
  ['balance_amount', 'numeric', 'balanceAmount'],
  ['billing_account', 'text', 'billingAccount'],
  ['period_start', 'date', 'periodStart'],
  ['period_end', 'date', 'periodEnd'],
  ['corrects', 'text', 'corrects'],
  ...INVOICE_COLUMNS,
  ['is_tax_calculated', 'boolean', 'isTaxCalculated'],
  ['carried', 'text[]', 'carried'],
  ['replaced_by', 'text', 'replacedBy'],
  ['is_history', 'boolean', 'isHistory'],
  ['import_id', 'text', 'importId'],
  ['seller_id', 'text', 'sellerId'],
  ['buyer_id', 'text', 'buyerId'],
]
/** Columns of an existing row that never change. */
const PRESERVED_COLUMNS = new Set(['id', 'import_id'])

// SQL fragments: the columns, their expressions, the record type of the JSON, and the columns to overwrite.
const columnNames = sql.raw(COLUMNS.map(([column]) => column).join(', '))
const fieldExpressions = sql.raw(
  COLUMNS.map(([column, type, field]) => `${column}${type === 'date' ? '::text' : ''} AS "${field}"`).join(
    ', ',
  ),
)
const recordType = sql.raw(COLUMNS.map(([, type, field]) => `"${field}" ${type}`).join(', '))
const newValues = sql.raw(
  COLUMNS.flatMap(([column]) => (PRESERVED_COLUMNS.has(column) ? [] : `${column} = excluded.${column}`)).join(
    ', ',
  ),
)

/**
 * Reads the invoices under these numbers of these issuers, and locks them until the transaction ends: the one that is
 * not voided, else one without a replacement, else any.
 * @returns by `keyOf`
 */
export async function readStored(
  tx: Transaction,
  customerId: CustomerId,
  numbers: readonly Numbered[],
): Promise<Map<string, StoredInvoice>> {
  // Sorted, so that two imports lock in one order.
  const sorted = numbers.toSorted((a, b) => byText(keyOf(a), keyOf(b)))
  const result = await tx.execute<InvoiceHeader>(sql`
    SELECT found.* FROM unnest(${texts(sorted, 'issuer')}, ${texts(sorted, 'number')}) AS given(issuer, number)
    CROSS JOIN LATERAL (
      SELECT ${fieldExpressions} FROM invoices
      WHERE customer_id = ${customerId} AND issuer = given.issuer
        AND number >= given.number AND number <= given.number
      ORDER BY number, (CASE WHEN document_state = 'voided' THEN id ELSE '' END) LIMIT 100
      FOR NO KEY UPDATE) AS found`)
  const best = new Map<string, InvoiceHeader>()
  for (const row of result.rows) {
    const current = best.get(keyOf(row))
    if (!current || rankOf(row) < rankOf(current)) best.set(keyOf(row), row)
  }
  const lines = await readLines(
    tx,
    customerId,
    [...best.values()].map(({ id }) => id),
  )
  return new Map([...best].map(([key, row]) => [key, { ...row, lines: lines.get(row.id) ?? [] }]))
}

/** Returns the rank among invoices of one number, lowest first: not voided, then not replaced, then others. */
export function rankOf({ documentState, replacedBy }: InvoiceHeader): number {
  if (documentState !== 'voided') return 0
  return replacedBy === null ? 1 : 2
}

/** Adds invoices that are not there, with their lines; their parties are frozen by that. */
export async function addInvoices(tx: Transaction, customerId: CustomerId, added: StoredInvoice[]) {
  if (added.length === 0) return
  const rows = await frozen(tx, customerId, added)
  assertAllWritten(
    await tx.execute(sql`INSERT INTO invoices (customer_id, ${columnNames}) ${rowsOf(customerId, rows)}`),
    rows.length,
  )
  await addLines(tx, customerId, added)
}

/** Writes over the heads of invoices that are there, locked by `readStored`; adds one that was taken away. */
export async function overwriteInvoiceRows(
  tx: Transaction,
  customerId: CustomerId,
  changed: InvoiceHeader[],
) {
  if (changed.length === 0) return
  const written = await tx.execute(sql`
    INSERT INTO invoices (customer_id, ${columnNames}) ${rowsOf(customerId, changed)}
    ON CONFLICT (customer_id, id) DO UPDATE SET ${newValues},
      -- A draft that is issued arrives by that.
      created_at = CASE WHEN invoices.document_state = 'draft' AND excluded.document_state = 'issued'
        THEN excluded.created_at ELSE invoices.created_at END,
      voided_on = CASE WHEN excluded.document_state <> 'voided' THEN NULL
        WHEN invoices.document_state = 'issued' THEN (excluded.created_at AT TIME ZONE 'UTC')::date ELSE invoices.voided_on END`)
  assertAllWritten(written, changed.length)
}

/** Writes over invoices that are there, with their lines, and freezes their parties where they have none. */
export async function overwriteInvoices(tx: Transaction, customerId: CustomerId, changed: StoredInvoice[]) {
  if (changed.length === 0) return
  await overwriteInvoiceRows(tx, customerId, await frozen(tx, customerId, changed))
  await dropLines(
    tx,
    customerId,
    changed.map(({ id }) => id),
  )
  await addLines(tx, customerId, changed)
}

async function frozen(tx: Transaction, customerId: CustomerId, rows: StoredInvoice[]) {
  const without = rows.filter(({ sellerId, buyerId }) => sellerId === null || buyerId === null)
  if (without.length === 0) return rows
  const partiesOf = await freezeParties(tx, customerId, without)
  return rows.map((row) =>
    row.sellerId === null || row.buyerId === null ? { ...row, ...partiesOf(row) } : row,
  )
}

// One parameter for all rows: a list of values is limited to 65,535 parameters. The rows are joined to one of their
// parties, which exists by now.
function rowsOf(customerId: CustomerId, rows: readonly InvoiceHeader[]): SQL {
  const json = JSON.stringify(rows, (key, value) => (key === 'lines' ? undefined : value))
  return sql`SELECT own.customer_id, r.*
    FROM parties AS own, json_to_recordset(${json}::json) AS r(${recordType})
    WHERE own.customer_id = ${customerId} AND own.id = ${rows[0]?.buyerId}`
}

function texts(items: readonly Numbered[], field: keyof Numbered): SQL {
  return sql`${sql.param(items.map((one) => one[field]))}::text[]`
}

function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

const MAX_ROWS = 5000

const POSTING_COLUMNS = [...LINE_COLUMNS, ['carried', 'text[]', 'carried']] as const
const lineNames = sql.raw(POSTING_COLUMNS.map(([column]) => column).join(', '))
const lineFields = sql.raw(
  POSTING_COLUMNS.map(
    ([column, type, field]) => `${column}${type === 'date' ? '::text' : ''} AS "${field}"`,
  ).join(', '),
)
const lineRecord = sql.raw(POSTING_COLUMNS.map(([, type, field]) => `"${field}" ${type}`).join(', '))

/** The lines of these invoices in their order, by the invoice's id. */
async function readLines(
  tx: Transaction,
  customerId: CustomerId,
  ids: readonly string[],
): Promise<Map<string, StoredLine[]>> {
  const lines = new Map<string, StoredLine[]>(ids.map((id) => [id, []]))
  if (ids.length === 0) return lines
  const { rows } = await tx.execute<StoredLine & { invoiceId: string }>(sql`
    SELECT found.* FROM unnest(${textsOf(ids)}) AS given(id) CROSS JOIN LATERAL (
      SELECT invoice_id AS "invoiceId", type, description, price, qty, details, ${lineFields}
      FROM line_items WHERE customer_id = ${customerId} AND invoice_id = given.id ORDER BY position) AS found`)
  for (const { invoiceId, ...line } of rows) lines.get(invoiceId)?.push(line)
  return lines
}

/** Takes the lines of these invoices away. */
async function dropLines(tx: Transaction, customerId: CustomerId, ids: readonly string[]) {
  await tx.execute(sql`
    DELETE FROM line_items WHERE customer_id = ${customerId} AND ctid = ANY (ARRAY(
      SELECT found.ctid FROM unnest(${textsOf(ids)}) AS given(id) CROSS JOIN LATERAL (
        SELECT ctid FROM line_items WHERE customer_id = ${customerId} AND invoice_id = given.id OFFSET 0) AS found))`)
}

/** Adds the lines of invoices that have none, and how their prices were made where that is known. */
async function addLines(tx: Transaction, customerId: CustomerId, from: readonly StoredInvoice[]) {
  const rows = from.flatMap(({ id, currency, lines }) =>
    lines.map((line, position) => ({ ...line, invoiceId: id, currency, position })),
  )
  for (let at = 0; at < rows.length; at += MAX_ROWS) {
    const portion = rows.slice(at, at + MAX_ROWS)
    const invoice = portion[0]?.invoiceId
    const written = await tx.execute(sql`
      INSERT INTO line_items (customer_id, invoice_id, position, type, description, price, qty, currency, details,
        ${lineNames})
      SELECT own.customer_id, r.*
      FROM invoices AS own, json_to_recordset(${JSON.stringify(portion)}::json)
        AS r("invoiceId" text, position int, type text, description text, price numeric, qty numeric,
          currency text, details text, ${lineRecord})
      WHERE own.customer_id = ${customerId} AND own.id = ${invoice}`)
    assertAllWritten(written, portion.length)
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
