import 'server-only'
import { eq, sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/access/rules.ts'
import type { Transaction } from '#lib/db/client.ts'
import { billingProfiles } from '#lib/db/schema/customers.ts'
import { type FrozenParties, freezeParties } from '#lib/parties/store.ts'
import type { StoredInvoice, StoredLine } from './invoice-differences.ts'

const MOST_ROWS = 5000

// How many rows a customer has is not known while its first file is stored, nor before the server next looks. So each
// statement here leaves the planner one way only, by the primary key: a row for a row, with what is in that key's order
// and in no other's; and what is there already is written over by ON CONFLICT, not by a join.

/** Ids of the customer's billing profiles. */
export async function listProfiles(tx: Transaction, customerId: CustomerId): Promise<Set<string>> {
  const own = eq(billingProfiles.customerId, customerId)
  const rows = await tx.select({ id: billingProfiles.id }).from(billingProfiles).where(own)
  return new Set(rows.map(({ id }) => id))
}

/** Those of `ids` that are there, with their lines, locked until the transaction ends. */
export async function readStored(
  tx: Transaction,
  customerId: CustomerId,
  ids: string[],
): Promise<Map<string, StoredInvoice>> {
  const found = await tx.execute<Omit<StoredInvoice, 'lines'>>(sql`
    SELECT found.* FROM unnest(${textsOf(ids)}) AS given(id) CROSS JOIN LATERAL (
      SELECT id, billing_profile_id AS "billingProfileId", platform, issuer, invoice_date::text AS "invoiceDate",
        due_date::text AS "dueDate", currency, total_amount AS "totalAmount", balance_amount AS "balanceAmount"
      FROM invoices
      WHERE customer_id = ${customerId} AND id >= given.id AND id <= given.id
      ORDER BY customer_id, id LIMIT 1 FOR NO KEY UPDATE) AS found`)
  const stored = new Map(found.rows.map((row) => [row.id, { ...row, lines: [] as StoredLine[] }]))
  if (stored.size === 0) return stored
  const lines = await tx.execute<StoredLine & { invoiceId: string }>(sql`
    SELECT found.* FROM unnest(${textsOf(stored.keys())}) AS given(id) CROSS JOIN LATERAL (
      SELECT invoice_id AS "invoiceId", type, description, price, qty, details
      FROM line_items WHERE customer_id = ${customerId} AND invoice_id = given.id ORDER BY position) AS found`)
  for (const { invoiceId, ...line } of lines.rows) stored.get(invoiceId)?.lines.push(line)
  return stored
}

/** Adds invoices that are not there, with their lines. */
export async function addInvoices(tx: Transaction, customerId: CustomerId, added: StoredInvoice[]) {
  if (added.length === 0) return
  const rows = rowsOf(added, await freezeParties(tx, customerId, added))
  await tx.execute(sql`
    INSERT INTO invoices (${COLUMNS}) SELECT ${customerId}, r.id, r.* FROM ${rows}`)
  await addLines(tx, customerId, added)
}

/** Writes over invoices that are there; `readStored` has locked them. */
export async function overwriteInvoices(tx: Transaction, customerId: CustomerId, changed: StoredInvoice[]) {
  if (changed.length === 0) return
  const rows = rowsOf(changed, await freezeParties(tx, customerId, changed))
  await tx.execute(sql`
    INSERT INTO invoices (${COLUMNS}) SELECT ${customerId}, r.id, r.* FROM ${rows}
    ON CONFLICT (customer_id, id) DO UPDATE
    SET billing_profile_id = excluded.billing_profile_id, platform = excluded.platform, issuer = excluded.issuer,
      invoice_date = excluded.invoice_date, due_date = excluded.due_date, currency = excluded.currency,
      total_amount = excluded.total_amount, balance_amount = excluded.balance_amount,
      seller_id = excluded.seller_id, buyer_id = excluded.buyer_id`)
  await tx.execute(sql`
    DELETE FROM line_items WHERE customer_id = ${customerId} AND ctid = ANY (ARRAY(
      SELECT found.ctid FROM unnest(${textsOf(changed.map(({ id }) => id))}) AS given(id) CROSS JOIN LATERAL (
        SELECT ctid FROM line_items WHERE customer_id = ${customerId} AND invoice_id = given.id OFFSET 0) AS found))`)
  await addLines(tx, customerId, changed)
}

const COLUMNS = sql.raw(
  'customer_id, number, id, billing_profile_id, platform, issuer, invoice_date, due_date, currency, total_amount, balance_amount, seller_id, buyer_id',
)

// Sorted, so that two imports lock in one order.
const textsOf = (ids: Iterable<string>) => sql`${sql.param([...ids].sort())}::text[]`

// One parameter for all rows, however many: a list of values ends at 65,535 parameters.
const rowsOf = (rows: StoredInvoice[], partiesOf: (row: StoredInvoice) => FrozenParties) => sql`
  json_to_recordset(${JSON.stringify(rows.map(({ lines, ...row }) => ({ ...row, ...partiesOf({ ...row, lines }) })))}::json)
    AS r(id text, "billingProfileId" text, platform text, issuer text, "invoiceDate" date, "dueDate" date,
      currency text, "totalAmount" numeric, "balanceAmount" numeric, "sellerId" text, "buyerId" text)`

async function addLines(tx: Transaction, customerId: CustomerId, from: StoredInvoice[]) {
  const rows = from.flatMap(({ id, currency, lines }) =>
    lines.map((line, position) => ({ ...line, invoiceId: id, currency, position })),
  )
  for (let at = 0; at < rows.length; at += MOST_ROWS)
    await tx.execute(sql`
      INSERT INTO line_items (customer_id, invoice_id, position, type, description, price, qty, currency, details)
      SELECT ${customerId}, r.*
      FROM json_to_recordset(${JSON.stringify(rows.slice(at, at + MOST_ROWS))}::json)
        AS r("invoiceId" text, position int, type text, description text, price numeric, qty numeric,
          currency text, details text)`)
}
