import 'server-only'
import { and, eq, inArray, sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/access/rules.ts'
import type { Transaction } from '#lib/db/client.ts'
import { billingProfiles } from '#lib/db/schema/customers.ts'
import { invoices, lineItems } from '#lib/db/schema/invoices.ts'
import { storedInvoiceColumns } from '#lib/invoices/store.ts'
import type { StoredInvoice, StoredLine } from './invoice-differences.ts'

const MOST_ROWS = 5000

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
  const found = await tx
    .select(storedInvoiceColumns)
    .from(invoices)
    .where(and(eq(invoices.customerId, customerId), inArray(invoices.id, ids)))
    .orderBy(invoices.id)
    .for('no key update')
  const stored = new Map(found.map((row) => [row.id, { ...row, lines: [] as StoredLine[] }]))
  if (found.length === 0) return stored
  const lines = await tx
    .select({
      invoiceId: lineItems.invoiceId,
      type: lineItems.type,
      description: lineItems.description,
      price: lineItems.price,
      qty: lineItems.qty,
      details: lineItems.details,
    })
    .from(lineItems)
    .where(and(eq(lineItems.customerId, customerId), inArray(lineItems.invoiceId, [...stored.keys()])))
    .orderBy(lineItems.invoiceId, lineItems.position)
  for (const { invoiceId, ...line } of lines) stored.get(invoiceId)?.lines.push(line)
  return stored
}

/** Adds invoices that are not there, with their lines. */
export async function addInvoices(tx: Transaction, customerId: CustomerId, added: StoredInvoice[]) {
  if (added.length === 0) return
  await tx.execute(sql`
    INSERT INTO invoices (customer_id, id, billing_profile_id, platform, issuer, invoice_date, due_date,
      currency, total_amount, balance_amount)
    SELECT ${customerId}, r.* FROM ${rowsOf(added)}`)
  await addLines(tx, customerId, added)
}

/** Writes over invoices that are there; `readStored` has locked them. */
export async function overwriteInvoices(tx: Transaction, customerId: CustomerId, changed: StoredInvoice[]) {
  if (changed.length === 0) return
  await tx.execute(sql`
    UPDATE invoices i
    SET billing_profile_id = r."billingProfileId", platform = r.platform, issuer = r.issuer,
      invoice_date = r."invoiceDate", due_date = r."dueDate", currency = r.currency,
      total_amount = r."totalAmount", balance_amount = r."balanceAmount"
    FROM ${rowsOf(changed)}
    WHERE i.customer_id = ${customerId} AND i.id = r.id`)
  const ids = changed.map(({ id }) => id)
  await tx
    .delete(lineItems)
    .where(and(eq(lineItems.customerId, customerId), inArray(lineItems.invoiceId, ids)))
  await addLines(tx, customerId, changed)
}

// One parameter for all rows, however many: a list of values ends at 65,535 parameters.
const rowsOf = (rows: StoredInvoice[]) => sql`
  json_to_recordset(${JSON.stringify(rows.map(({ lines, ...row }) => row))}::json)
    AS r(id text, "billingProfileId" text, platform text, issuer text, "invoiceDate" date, "dueDate" date,
      currency text, "totalAmount" numeric, "balanceAmount" numeric)`

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
