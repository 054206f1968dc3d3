import 'server-only'
import { assetDetails } from '#lib/billing/posting-details/rules.ts'
import { listPosted, listProfiles } from '#lib/billing/posting-details/store.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import type { StoredInvoice } from '../invoices/stored.ts'

/**
 * Returns a function that adds the customer's purchase orders, references and cost centers to arriving invoices whose
 * issuer sent none. The details are read once per import; later changes apply to later invoices.
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

/** Returns the row with missing values replaced by the details, and the replaced fields listed in `carried`. */
function withCarried<Row extends Carried>(row: Row, details: Partial<Record<keyof Row, string | null>>): Row {
  const missing = Object.entries(details).filter(
    ([field, value]) => value !== null && (row[field as keyof Row] ?? null) === null,
  )
  if (missing.length === 0) return row
  return { ...row, ...Object.fromEntries(missing), carried: missing.map(([field]) => field) }
}
