import 'server-only'
import { sql } from 'drizzle-orm'
import { invoices, lineItems } from '#lib/platform/db/schema/invoices/invoices.ts'
import type { TaxGroup } from './tax.ts'

// The parties stand in rows of their own. In the words of SQL, because drizzle leaves the table's name out of a column
// where a statement has one table.
const countryOf = (side: 'seller_id' | 'buyer_id') =>
  sql.raw(
    `(SELECT p.content ->> 'country' FROM parties p WHERE p.customer_id = "invoices".customer_id AND p.id = "invoices".${side})`,
  )

/** Columns of an invoice for posting; amounts are decimal text, null is unknown. */
export const postingColumns = {
  typeCode: invoices.typeCode,
  netAmount: invoices.netAmount,
  taxAmount: invoices.taxAmount,
  isTaxCalculated: invoices.isTaxCalculated,
  taxBreakdown: sql<TaxGroup[] | null>`${invoices.taxBreakdown}`,
  purchaseOrder: invoices.purchaseOrder,
  buyerReference: invoices.buyerReference,
  costCenter: invoices.costCenter,
  paymentTerms: invoices.paymentTerms,
  carried: sql<string[] | null>`${invoices.carried}`,
  sellerCountry: sql<string | null>`${countryOf('seller_id')}`,
  buyerCountry: sql<string | null>`${countryOf('buyer_id')}`,
}

/** Columns of a line for posting; the end of its period is exclusive. */
export const linePostingColumns = {
  netAmount: lineItems.netAmount,
  taxCategory: lineItems.taxCategory,
  taxRate: lineItems.taxRate,
  taxAmount: lineItems.taxAmount,
  periodStart: lineItems.periodStart,
  periodEnd: lineItems.periodEnd,
  billingAccount: lineItems.billingAccount,
  subAccount: lineItems.subAccount,
  unit: lineItems.unit,
  usedQuantity: lineItems.usedQuantity,
  usedUnit: lineItems.usedUnit,
  sku: lineItems.sku,
  purchaseOrder: lineItems.purchaseOrder,
  costCenter: lineItems.costCenter,
  detailId: lineItems.detailId,
  chargeCategory: lineItems.chargeCategory,
  grain: lineItems.grain,
  paymentCurrency: lineItems.paymentCurrency,
  paymentAmount: lineItems.paymentAmount,
  carried: sql<string[] | null>`${lineItems.carried}`,
}

/** Posting columns of an invoice, as stored. */
export type PostingRow = {
  typeCode: string | null
  netAmount: string | null
  taxAmount: string | null
  isTaxCalculated: boolean | null
  taxBreakdown: TaxGroup[] | null
  purchaseOrder: string | null
  buyerReference: string | null
  costCenter: string | null
  paymentTerms: string | null
  /** Fields that the issuer left out, and the customer has set. */
  carried: string[] | null
  /** Two letters, of the parties as they were frozen. */
  sellerCountry: string | null
  buyerCountry: string | null
}

/** Posting columns of a line, as stored; days as `YYYY-MM-DD`. */
export type LinePostingRow = {
  netAmount: string | null
  taxCategory: string | null
  taxRate: string | null
  taxAmount: string | null
  periodStart: string | null
  periodEnd: string | null
  billingAccount: string | null
  subAccount: string | null
  unit: string | null
  usedQuantity: string | null
  usedUnit: string | null
  sku: string | null
  purchaseOrder: string | null
  costCenter: string | null
  detailId: string | null
  chargeCategory: string | null
  grain: string | null
  paymentCurrency: string | null
  paymentAmount: string | null
  carried: string[] | null
}
