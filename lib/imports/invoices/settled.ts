import 'server-only'
import { sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import type { ImportProblem } from '../refused.ts'
import type { NewInvoice } from '../shapes.ts'
import type { StoredInvoice } from './stored.ts'

/**
 * Invoices that come again after they were voided, and say nothing of their balance, although something of them was
 * paid before: what is voided has no balance any more, so that it would be forgotten.
 */
export async function settledProblems(
  tx: Transaction,
  customerId: CustomerId,
  pairs: readonly { invoice: NewInvoice; stored: StoredInvoice | undefined }[],
): Promise<ImportProblem[]> {
  const again = new Map(
    pairs.flatMap(({ invoice, stored }) =>
      stored && comesAgain(invoice, stored) && invoice.balanceAmount === undefined
        ? [[stored.id, invoice] as const]
        : [],
    ),
  )
  if (again.size === 0) return []
  const { rows } = await tx.execute<{ id: string; paid: string; currency: string }>(sql`
    SELECT * FROM (
      SELECT DISTINCT ON (c.invoice_id) c.invoice_id AS id, c.before ->> 'currency' AS currency,
        (c.before ->> 'totalAmount')::numeric - (c.before ->> 'balanceAmount')::numeric AS paid
      FROM import_changes c
      JOIN imports l ON l.customer_id = ${customerId} AND l.id = c.import_id AND l.undone_at IS NULL
      WHERE c.customer_id = ${customerId} AND c.invoice_id = ANY (${sql.param([...again.keys()])}::text[])
        AND c.before ->> 'documentState' = 'issued'
      ORDER BY c.invoice_id, l.created_at DESC, c.position DESC) AS last
    WHERE paid <> 0`)
  return rows.map(({ id, paid, currency }) => ({
    subject: `invoice ${again.get(id)?.number}`,
    reason: `${paid} ${currency} of it was settled before it was voided: give its balance, too`,
  }))
}

function comesAgain({ documentState = 'issued' }: NewInvoice, stored: StoredInvoice): boolean {
  return documentState === 'issued' && stored.documentState === 'voided' && stored.replacedBy === null
}
