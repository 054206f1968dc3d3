import { boolean, jsonb, text } from 'drizzle-orm/pg-core'
import { day, decimal } from '../columns.ts'

// Posting columns of invoices and lines. All are nullable, because most files contain few of them.

/** Row of a tax breakdown, as decimal text; null: not stated. */
type TaxGroup = {
  category: string
  rate: string | null
  taxableAmount: string
  taxAmount: string
  exemptionReason?: string | undefined
}

const posting = () => ({
  purchaseOrder: text('purchase_order'),
  costCenter: text('cost_center'),
  /** Names of fields that the issuer omitted and the customer's settings supplied. */
  carried: text('carried').array(),
})

export const invoicePosting = () => ({
  ...posting(),
  /** A code of UNCL 1001: 380 is an invoice, 381 a credit note. */
  typeCode: text('type_code'),
  /** Net amount and tax: as stated by the issuer, or derived from the other amounts. */
  netAmount: decimal('net_amount'),
  taxAmount: decimal('tax_amount'),
  /** True: the import calculated net and tax from the lines, because the issuer states neither. */
  isTaxCalculated: boolean('is_tax_calculated'),
  /** As the issuer breaks the tax down. Read and written whole. */
  taxBreakdown: jsonb('tax_breakdown').$type<TaxGroup[]>(),
  buyerReference: text('buyer_reference'),
  paymentTerms: text('payment_terms'),
  /**
   * Purchase orders of the lines, each once, at most 1,000, so that a search reads no lines. Maintained by
   * `keep_line_orders`, a trigger of `line_items` (migration `invoice-orders`).
   */
  lineOrders: text('line_orders').array(),
})

export const linePosting = () => ({
  ...posting(),
  netAmount: decimal('net_amount'),
  /** A code of UNCL 5305, and its percent. */
  taxCategory: text('tax_category'),
  taxRate: decimal('tax_rate'),
  taxAmount: decimal('tax_amount'),
  /** When it was used; the end is exclusive. */
  periodStart: day('period_start'),
  periodEnd: day('period_end'),
  billingAccount: text('billing_account'),
  subAccount: text('sub_account'),
  /** Code of UN/ECE Recommendation 20, or unit from a FOCUS file. */
  unit: text('unit'),
  /**
   * Consumed quantity of the line's charges with its unit, and their SKU, if all charges have the same one; not the
   * line's billed quantity.
   */
  usedQuantity: decimal('used_quantity'),
  usedUnit: text('used_unit'),
  sku: text('sku'),
  /** Issuer's id of the line, which its charges refer to, and their FOCUS charge category. */
  detailId: text('detail_id'),
  chargeCategory: text('charge_category'),
  /** Grouping level of the line's charges, as JSON with the issuer's terms. */
  grain: text('grain'),
  /** Amount in the payment currency, if it differs from the billing currency; never added to billed amounts. */
  paymentCurrency: text('payment_currency'),
  paymentAmount: decimal('payment_amount'),
})
