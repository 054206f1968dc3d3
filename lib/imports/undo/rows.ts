import 'server-only'
import { and, eq, sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { imports } from '#lib/platform/db/schema/imports.ts'
import type { Before } from '../invoices/changes.ts'

/** An import of a customer, as far as undoing it asks. */
export type Found = { id: string; kind: string; createdAt: Date; undoneAt: Date | null }

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
    .set({ undoneAt: sql`statement_timestamp()` })
    .where(and(eq(imports.customerId, customerId), eq(imports.id, id)))
}

/** The issuers of whom an import wrote down address or bank, as the customer's history tells. */
export async function listIssuersSet(tx: Transaction, customerId: CustomerId, id: string): Promise<string[]> {
  const { rows } = await tx.execute<{ name: string }>(sql`
    SELECT DISTINCT s.subject AS name FROM audit_events i
    JOIN audit_events s ON s.customer_id = ${customerId} AND s.request_id = i.request_id
      AND s.action = 'issuer.set'
    WHERE i.customer_id = ${customerId} AND i.action = 'invoices.imported' AND i.details ->> 'import' = ${id}
    ORDER BY 1`)
  return rows.map(({ name }) => name)
}
