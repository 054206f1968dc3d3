import { boolean, date, jsonb, numeric, text } from 'drizzle-orm/pg-core'

// What posting takes, of invoices and of lines. All of it may be null: most of it is not told.

/** One row of a tax breakdown: decimal text; null is not told. */
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
  /** Names of fields that the issuer left out, and that were carried over from what the customer has set. */
  carried: text('carried').array(),
})

export const invoicePosting = () => ({
  ...posting(),
  /** A code of UNCL 1001: 380 is an invoice, 381 a credit note. */
  typeCode: text('type_code'),
  /** What is billed without tax, and the tax: as the issuer says, or as it follows from its other figures. */
  netAmount: numeric('net_amount'),
  taxAmount: numeric('tax_amount'),
  /** True: the import calculated net and tax from the lines, because the issuer states neither. */
  isTaxCalculated: boolean('is_tax_calculated'),
  /** As the issuer breaks the tax down. Read and written whole. */
  taxBreakdown: jsonb('tax_breakdown').$type<TaxGroup[]>(),
  buyerReference: text('buyer_reference'),
  paymentTerms: text('payment_terms'),
  /**
   * The purchase orders of its lines, each once, 1,000 at most, so that a search asks no lines: `keep_line_orders` of the
   * migration `invoice-orders`, a trigger of `line_items`, writes it.
   */
  lineOrders: text('line_orders').array(),
})

export const linePosting = () => ({
  ...posting(),
  netAmount: numeric('net_amount'),
  /** A code of UNCL 5305, and its percent. */
  taxCategory: text('tax_category'),
  taxRate: numeric('tax_rate'),
  taxAmount: numeric('tax_amount'),
  /** When it was used; the end is exclusive. */
  periodStart: date('period_start'),
  periodEnd: date('period_end'),
  billingAccount: text('billing_account'),
  subAccount: text('sub_account'),
  /** A code of UN/ECE Recommendation 20, or the word of a FOCUS file. */
  unit: text('unit'),
  /** What the charges of the line come to in a unit of theirs, and their SKU, where all of them have the same; the line's own quantity is apart. */
  usedQuantity: numeric('used_quantity'),
  usedUnit: text('used_unit'),
  sku: text('sku'),
  /** The issuer's own id of the line, to which its charges lead; and of what category of FOCUS these are. */
  detailId: text('detail_id'),
  chargeCategory: text('charge_category'),
  /** At which level the line sums charges up, as JSON in the issuer's own words. */
  grain: text('grain'),
  /** What is to be paid for it, where that is in another currency; never added to what is billed. */
  paymentCurrency: text('payment_currency'),
  paymentAmount: numeric('payment_amount'),
})
