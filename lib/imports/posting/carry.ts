import 'server-only'
import { assetDetails } from '#lib/billing/posting-details/rules.ts'
import { listPosted, listProfiles } from '#lib/billing/posting-details/store.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import type { StoredInvoice } from '../invoices/stored.ts'

/**
 * What carries the customer's purchase orders, references and cost centers onto an invoice that arrives, where its
 * issuer sent none. They are read once, as they stand while the import runs; later changes reach later invoices.
 */
export async function carrierOf(tx: Transaction, customerId: CustomerId) {
  const profiles = new Map((await listProfiles(tx, customerId)).map((profile) => [profile.id, profile]))
  const detailsOf = assetDetails(await listPosted(tx, customerId))
  return (invoice: StoredInvoice): StoredInvoice => {
    const {
      purchaseOrder = null,
      buyerReference = null,
      costCenter = null,
    } = profiles.get(invoice.billingProfileId) ?? {}
    const { billingAccount } = invoice
    return {
      ...withCarried(invoice, { purchaseOrder, buyerReference, costCenter }),
      lines: invoice.lines.map((line) => {
        const lineWithAccount = { ...line, billingAccount: line.billingAccount ?? billingAccount }
        return withCarried(line, detailsOf(lineWithAccount))
      }),
    }
  }
}

type Carried = { carried: string[] | null }

/** With each of these in the place of what is not told, and its name among what was carried. */
function withCarried<Row extends Carried>(row: Row, details: Partial<Record<keyof Row, string | null>>): Row {
  const missing = Object.entries(details).filter(
    ([field, value]) => value !== null && (row[field as keyof Row] ?? null) === null,
  )
  if (missing.length === 0) return row
  return { ...row, ...Object.fromEntries(missing), carried: missing.map(([field]) => field) }
}
