import 'server-only'
import { sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'

const KEPT = sql`interval '2 years'`

/**
 * Removes the customer's mails of long ago with what they told. Not the last one to a recipient, nor one about an invoice
 * that is still open: by them it is known what was told already.
 * @returns how many
 */
export async function pruneMails(tx: Transaction, customerId: CustomerId): Promise<number> {
  const { rowCount } = await tx.execute(sql`
    DELETE FROM notice_mails m
    WHERE m.customer_id = ${customerId} AND m.state <> 'SENDING' AND m.told_on < now() - ${KEPT}
      AND EXISTS (
        SELECT FROM notice_mails n
        WHERE n.customer_id = ${customerId} AND n.recipient_id = m.recipient_id AND n.told_on > m.told_on)
      AND NOT EXISTS (
        SELECT FROM notices t
        JOIN invoices i ON i.customer_id = t.customer_id AND i.id = t.invoice_id
        WHERE t.customer_id = ${customerId} AND t.recipient_id = m.recipient_id AND t.told_on = m.told_on
          AND i.balance_amount <> 0)`)
  return rowCount ?? 0
}
