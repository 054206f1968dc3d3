import 'server-only'
import { and, eq, sql } from 'drizzle-orm'
import type { Transaction } from '#lib/platform/db/client.ts'
import { lineItems } from '#lib/platform/db/schema/invoices/invoices.ts'
import type { Owner } from './owned-and-selected.ts'
import { type LineItemRow, lineColumns } from './store.ts'

/** How many lines each of these invoices has, which the caller has been shown to see. */
export async function countLines(tx: Transaction, { customerId }: Owner, ids: string[]) {
  const { invoiceId: id } = lineItems
  const rows = await tx
    .select({ id, count: sql<number>`count(*)::int` })
    .from(lineItems)
    .where(linesOf(customerId, ids))
    .groupBy(id)
  return new Map(rows.map((row) => [row.id, row.count]))
}

/** The lines of these invoices, which the caller has been shown to see; those of each in their order. */
export async function listLines(
  tx: Transaction,
  { customerId }: Owner,
  ids: string[],
): Promise<(LineItemRow & { invoiceId: string })[]> {
  const { invoiceId, position } = lineItems
  return tx
    .select({ invoiceId, ...lineColumns })
    .from(lineItems)
    .where(linesOf(customerId, ids))
    .orderBy(invoiceId, position)
}

// By index whatever the planner knows: of a customer who has just been imported it expects one row, and any join with
// invoices took minutes. One parameter, however many ids there are: the statement is planned once.
function linesOf(customerId: Owner['customerId'], ids: string[]) {
  return and(
    eq(lineItems.customerId, customerId),
    sql`${lineItems.invoiceId} = ANY(${sql.param(ids)}::text[])`,
  )
}
