import type { TaxGroup } from '#lib/billing/posting/tax.ts'

// Accounting details of an invoice in a file. All fields are optional; null means the same as absent.

/** Accounting details of a line: amounts and rate are exact decimal text, the end of the period is exclusive. */
export type NewLinePosting = {
  netAmount?: string | null | undefined
  taxCategory?: string | null | undefined
  taxRate?: string | null | undefined
  taxAmount?: string | null | undefined
  periodStart?: string | null | undefined
  periodEnd?: string | null | undefined
  billingAccount?: string | null | undefined
  subAccount?: string | null | undefined
  unit?: string | null | undefined
  /** Total of the charges of the line in the vendor's unit, and their SKU. */
  usedQuantity?: string | null | undefined
  usedUnit?: string | null | undefined
  sku?: string | null | undefined
  purchaseOrder?: string | null | undefined
  costCenter?: string | null | undefined
  /** The issuer's id of the line, and the category of the charges that lead to it: only lines of the issuer's own have them. */
  detailId?: string | null | undefined
  chargeCategory?: string | null | undefined
  grain?: string | null | undefined
  paymentCurrency?: string | null | undefined
  paymentAmount?: string | null | undefined
}

/** Accounting details of an invoice. */
export type NewPosting = {
  typeCode?: string | null | undefined
  netAmount?: string | null | undefined
  taxAmount?: string | null | undefined
  taxBreakdown?: TaxGroup[] | null | undefined
  purchaseOrder?: string | null | undefined
  buyerReference?: string | null | undefined
  costCenter?: string | null | undefined
  paymentTerms?: string | null | undefined
}

/**
 * Stored posting details; `carried` names the fields that the issuer left out and the customer has set.
 * `isTaxCalculated`: net and tax follow from the lines, because the issuer states neither.
 */
export type StoredPosting = { [Field in keyof NewPosting]-?: NonNullable<NewPosting[Field]> | null } & {
  carried: string[] | null
  isTaxCalculated: boolean | null
}
export type StoredLinePosting = {
  [Field in keyof NewLinePosting]-?: NonNullable<NewLinePosting[Field]> | null
} & { carried: string[] | null }

/** Columns of posting details of an invoice: name, type, and field. */
export const INVOICE_COLUMNS = [
  ['type_code', 'text', 'typeCode'],
  ['net_amount', 'numeric', 'netAmount'],
  ['tax_amount', 'numeric', 'taxAmount'],
  ['tax_breakdown', 'jsonb', 'taxBreakdown'],
  ['purchase_order', 'text', 'purchaseOrder'],
  ['buyer_reference', 'text', 'buyerReference'],
  ['cost_center', 'text', 'costCenter'],
  ['payment_terms', 'text', 'paymentTerms'],
] as const satisfies readonly (readonly [column: string, type: string, field: keyof NewPosting])[]
export const POSTING_FIELDS = INVOICE_COLUMNS.map(([, , field]) => field)

/** Columns of posting details of a line. */
export const LINE_COLUMNS = [
  ['net_amount', 'numeric', 'netAmount'],
  ['tax_category', 'text', 'taxCategory'],
  ['tax_rate', 'numeric', 'taxRate'],
  ['tax_amount', 'numeric', 'taxAmount'],
  ['period_start', 'date', 'periodStart'],
  ['period_end', 'date', 'periodEnd'],
  ['billing_account', 'text', 'billingAccount'],
  ['sub_account', 'text', 'subAccount'],
  ['unit', 'text', 'unit'],
  ['used_quantity', 'numeric', 'usedQuantity'],
  ['used_unit', 'text', 'usedUnit'],
  ['sku', 'text', 'sku'],
  ['purchase_order', 'text', 'purchaseOrder'],
  ['cost_center', 'text', 'costCenter'],
  ['detail_id', 'text', 'detailId'],
  ['charge_category', 'text', 'chargeCategory'],
  ['grain', 'text', 'grain'],
  ['payment_currency', 'text', 'paymentCurrency'],
  ['payment_amount', 'numeric', 'paymentAmount'],
] as const satisfies readonly (readonly [column: string, type: string, field: keyof NewLinePosting])[]
