import 'server-only'
import type { CustomerId } from '#lib/access/rules.ts'
import type { Transaction } from '#lib/db/client.ts'

/** Exact decimal text; the price is per unit. */
export type NewLineItem = {
  type: string
  description: string
  price: string
  qty: string
  details?: string | null
}

/** An invoice from outside, checked by its reader. Amounts are exact decimal text. */
export type NewInvoice = {
  id: string
  /** Absent: the customer's profile `default`; of an invoice that is there, the one that it has. */
  billingProfileId?: string
  platform: string
  issuer: string
  /** `YYYY-MM-DD`, days of UTC, the due date not before the other. */
  invoiceDate: string
  dueDate: string
  currency: string
  totalAmount: string
  /** Absent: nothing is paid yet; of an invoice that is there, as much as was paid before. */
  balanceAmount?: string
  /** At least one. */
  lines: NewLineItem[]
}

export type Imported = { added: number; unchanged: number; replaced: number }

/**
 * Adds invoices with their lines. One that is there already with the same content changes nothing
 * (numbers are compared as numbers).
 * @param options.replace writes over an invoice that is there with other content
 * @throws ImportRefused that lists the differences by field, where `replace` is not set
 */
export async function importInvoices(
  _tx: Transaction,
  _customerId: CustomerId,
  _invoices: NewInvoice[],
  _options: { replace: boolean },
): Promise<Imported> {
  throw new Error('Imports are being built.')
}
