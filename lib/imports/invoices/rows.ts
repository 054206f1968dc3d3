import 'server-only'
import { type SQL, sql } from 'drizzle-orm'
import { freezeParties } from '#lib/billing/parties/store.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { holdAll } from '../all-rows.ts'
import { asFields, asRecord, type Head, names, newValues } from '../posting/head-columns.ts'
import { addLines, dropLines, readLines } from './line-rows.ts'
import { keyOf, type StoredInvoice } from './stored.ts'

// How many rows a customer has is not known while its first file is stored, nor before the server next looks. So each
// statement here leaves the planner one way only, by the primary key or by the number: a row for a row, with what is in
// that key's order and in no other's; and what is there already is written over by ON CONFLICT, not by a join.

type Numbered = Pick<StoredInvoice, 'issuer' | 'number'>

/**
 * What is stored under these numbers of these issuers, locked until the transaction ends: the one that is not voided,
 * else one that nothing came in place of, else any.
 * @returns by `keyOf`
 */
export async function readStored(
  tx: Transaction,
  customerId: CustomerId,
  numbers: readonly Numbered[],
): Promise<Map<string, StoredInvoice>> {
  // Sorted, so that two imports lock in one order.
  const sorted = numbers.toSorted((a, b) => byText(keyOf(a), keyOf(b)))
  const found = await tx.execute<Head>(sql`
    SELECT found.* FROM unnest(${texts(sorted, 'issuer')}, ${texts(sorted, 'number')}) AS given(issuer, number)
    CROSS JOIN LATERAL (
      SELECT ${asFields} FROM invoices
      WHERE customer_id = ${customerId} AND issuer = given.issuer
        AND number >= given.number AND number <= given.number
      ORDER BY number, (CASE WHEN document_state = 'voided' THEN id ELSE '' END) LIMIT 100
      FOR NO KEY UPDATE) AS found`)
  const best = new Map<string, Head>()
  for (const row of found.rows) {
    const known = best.get(keyOf(row))
    if (!known || rank(row) < rank(known)) best.set(keyOf(row), row)
  }
  const lines = await readLines(
    tx,
    customerId,
    [...best.values()].map(({ id }) => id),
  )
  return new Map([...best].map(([key, row]) => [key, { ...row, lines: lines.get(row.id) ?? [] }]))
}

function rank({ documentState, replacedBy }: Head): number {
  if (documentState !== 'voided') return 0
  return replacedBy === null ? 1 : 2
}

/** Adds invoices that are not there, with their lines; their parties are frozen by that. */
export async function addInvoices(tx: Transaction, customerId: CustomerId, added: StoredInvoice[]) {
  if (added.length === 0) return
  const rows = await frozen(tx, customerId, added)
  // Beside one of their parties, which is there by now.
  const [one] = rows
  const beside = { table: 'parties', customerId, id: one?.buyerId } as const
  holdAll(
    await tx.execute(sql`INSERT INTO invoices (customer_id, ${names}) ${rowsOf(rows, beside)}`),
    rows.length,
  )
  await addLines(tx, customerId, added)
}

/** Writes over the heads of invoices that are there; `readStored` has locked them. */
export async function overwriteHeads(tx: Transaction, customerId: CustomerId, changed: Head[]) {
  if (changed.length === 0) return
  const [one] = changed
  const beside = { table: 'invoices', customerId, id: one?.id } as const
  const written = await tx.execute(sql`
    INSERT INTO invoices (customer_id, ${names}) ${rowsOf(changed, beside)}
    ON CONFLICT (customer_id, id) DO UPDATE SET ${newValues},
      -- A draft that is issued arrives by that.
      created_at = CASE WHEN invoices.document_state = 'draft' AND excluded.document_state = 'issued'
        THEN excluded.created_at ELSE invoices.created_at END`)
  holdAll(written, changed.length)
}

/** Writes over invoices that are there, with their lines, and freezes their parties where they have none. */
export async function overwriteInvoices(tx: Transaction, customerId: CustomerId, changed: StoredInvoice[]) {
  if (changed.length === 0) return
  await overwriteHeads(tx, customerId, await frozen(tx, customerId, changed))
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

// One parameter for all rows, however many: a list of values ends at 65,535 parameters.
function rowsOf(
  rows: readonly Head[],
  {
    table,
    customerId,
    id,
  }: { table: 'invoices' | 'parties'; customerId: CustomerId; id: string | null | undefined },
): SQL {
  const heads = JSON.stringify(rows, (key, value) => (key === 'lines' ? undefined : value))
  return sql`SELECT own.customer_id, r.*
    FROM ${sql.identifier(table)} AS own, json_to_recordset(${heads}::json) AS r(${asRecord})
    WHERE own.customer_id = ${customerId} AND own.id = ${id}`
}

function texts(of: readonly Numbered[], field: keyof Numbered): SQL {
  return sql`${sql.param(of.map((one) => one[field]))}::text[]`
}

function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
