import 'server-only'
import { and, eq, sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/access/rules.ts'
import type { Transaction } from '#lib/db/client.ts'
import { imports } from '#lib/db/schema/imports.ts'
import type { Before } from '../invoices/changes.ts'

type Found = { id: string; kind: string; createdAt: Date; undoneAt: Date | null }

const MOST_TOLD = 20
const PORTION = 500

/** An import, locked until the transaction ends. */
export async function lockImport(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
): Promise<Found | undefined> {
  const { kind, createdAt, undoneAt } = imports
  const rows = await tx
    .select({ id: imports.id, kind, createdAt, undoneAt })
    .from(imports)
    .where(and(eq(imports.customerId, customerId), eq(imports.id, id)))
    .for('update')
  return rows[0]
}

/** What came after an import and builds on what it brought or changed; up to 20. */
export async function findLater(
  tx: Transaction,
  customerId: CustomerId,
  { id, createdAt }: Found,
): Promise<{ invoice: string; how: string }[]> {
  const { rows } = await tx.execute<{ invoice: string; how: string }>(sql`
    WITH own AS (
      SELECT id, issuer, number FROM invoices WHERE customer_id = ${customerId} AND import_id = ${id}
      UNION
      SELECT i.id, i.issuer, i.number FROM import_changes c
      JOIN invoices i ON i.customer_id = ${customerId} AND i.id = c.invoice_id
      WHERE c.customer_id = ${customerId} AND c.import_id = ${id})
    SELECT own.id AS invoice, 'was changed by the import ' || l.id AS how
    FROM own
    JOIN import_changes c ON c.customer_id = ${customerId} AND c.invoice_id = own.id AND c.import_id <> ${id}
    JOIN imports l ON l.customer_id = ${customerId} AND l.id = c.import_id AND l.undone_at IS NULL
    WHERE l.created_at > ${createdAt.toISOString()}::timestamptz
    UNION
    SELECT own.id, 'is corrected or credited by ' || n.id
    FROM own
    JOIN invoices n ON n.customer_id = ${customerId} AND n.issuer = own.issuer AND n.corrects = own.number
      AND n.document_state <> 'voided' AND n.import_id IS DISTINCT FROM ${id}
    JOIN imports l ON l.customer_id = ${customerId} AND l.id = n.import_id
    WHERE l.created_at > ${createdAt.toISOString()}::timestamptz
    ORDER BY 1, 2 LIMIT ${MOST_TOLD}`)
  return rows
}

/** What an import changed, as it was before: in portions, last first. */
export async function* listBefore(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
): AsyncGenerator<Before[]> {
  for (let below = 2 ** 31 - 1; ; ) {
    const { rows } = await tx.execute<{ position: number; before: Before }>(sql`
      SELECT position, before FROM import_changes
      WHERE customer_id = ${customerId} AND import_id = ${id} AND position < ${below}
      ORDER BY position DESC LIMIT ${PORTION}`)
    if (rows.length > 0) yield rows.map(({ before }) => before)
    const last = rows.at(-1)
    if (!last || rows.length < PORTION) return
    below = last.position
  }
}

/** Voids what an import added. @returns how many there are */
export async function voidAdded(tx: Transaction, customerId: CustomerId, id: string): Promise<number> {
  const { rowCount } = await tx.execute(sql`
    UPDATE invoices SET document_state = 'voided', balance_amount = 0
    WHERE customer_id = ${customerId} AND import_id = ${id}`)
  return rowCount ?? 0
}

/** Takes away what an import added; nothing may point to it any more. */
export async function dropAdded(tx: Transaction, customerId: CustomerId, id: string): Promise<void> {
  // What replaced another in the same import points to it.
  await tx.execute(sql`
    UPDATE invoices SET replaced_by = NULL
    WHERE customer_id = ${customerId} AND import_id = ${id} AND replaced_by IS NOT NULL`)
  await tx.execute(sql`DELETE FROM invoices WHERE customer_id = ${customerId} AND import_id = ${id}`)
}

export async function markUndone(tx: Transaction, customerId: CustomerId, id: string): Promise<void> {
  await tx
    .update(imports)
    .set({ undoneAt: sql`clock_timestamp()` })
    .where(and(eq(imports.customerId, customerId), eq(imports.id, id)))
}
