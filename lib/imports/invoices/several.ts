import 'server-only'
import { sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import type { Twin } from './period.ts'
import type { StoredInvoice } from './stored.ts'

// One invoice may have charges of several accounts. It is stored without account then, and bills each of them.

/** An invoice once for each account that it bills. */
export function ofEachAccount(invoice: StoredInvoice, accounts: readonly string[] = []): StoredInvoice[] {
  if (accounts.length === 0) return [invoice]
  return accounts.map((billingAccount) => ({ ...invoice, billingAccount }))
}

/** What is stored of several accounts. Which ones is not known then: any of its issuer's may be among them. */
export function billsOfSeveral(tx: Transaction, customerId: CustomerId) {
  let known: Promise<Map<string, Twin['stored']>> | undefined
  return {
    /** The numbered summaries of several accounts that are of the periods of these issued ones without a number. */
    async twinsOf(issued: readonly StoredInvoice[]): Promise<Twin[]> {
      const asked = issued.filter(
        ({ isNumbered, billingAccount, periodStart }) => !isNumbered && billingAccount && periodStart,
      )
      if (asked.length === 0) return []
      // Once for an import: it looks at all invoices of the customer.
      known ??= readSeveral(tx, customerId)
      const found = await known
      return asked.flatMap((given) => {
        const stored = found.get(periodOf(given))
        return stored ? [{ stored, given }] : []
      })
    },
  }
}

async function readSeveral(tx: Transaction, customerId: CustomerId): Promise<Map<string, Twin['stored']>> {
  type Row = Twin['stored'] & Parameters<typeof periodOf>[0]
  const { rows } = await tx.execute<Row>(sql`
    SELECT DISTINCT ON (issuer, period_start, period_end, currency) id, issuer, number, is_numbered AS "isNumbered",
      (total_amount - balance_amount)::text AS paid, period_start::text AS "periodStart",
      period_end::text AS "periodEnd", currency
    FROM invoices
    WHERE customer_id = ${customerId} AND billing_account IS NULL AND period_start IS NOT NULL
      AND is_numbered AND form = 'summary' AND document_state = 'issued'
    ORDER BY issuer, period_start, period_end, currency, id`)
  return new Map(rows.map((row) => [periodOf(row), row]))
}

function periodOf(of: Pick<StoredInvoice, 'issuer' | 'periodStart' | 'periodEnd' | 'currency'>): string {
  return JSON.stringify([of.issuer, of.periodStart, of.periodEnd, of.currency])
}
