import { epochOfDay } from '#lib/platform/values/days.ts'
import type { LinePostingRow, PostingRow } from './columns.ts'
import { type TaxedInvoice, type TaxedLine, type TaxSums, taxOf } from './tax.ts'

type NonNullFields<T> = { [Field in keyof T]?: NonNullable<T[Field]> }

/** Removes the unknown fields. */
function withoutNulls<T extends object>(fields: T): NonNullFields<T> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null && value !== undefined),
  ) as NonNullFields<T>
}

const numberOf = (amount: string | null) => (amount === null ? null : Number(amount))
const timeOf = (day: string | null) => (day === null ? null : epochOfDay(day))
const someOf = (names: string[] | null) => (names && names.length > 0 ? names : null)

/** Returns the posting fields of a line. */
export function serializeLinePosting(row: LinePostingRow) {
  return withoutNulls({
    netAmount: numberOf(row.netAmount),
    taxCategory: row.taxCategory,
    taxRate: numberOf(row.taxRate),
    taxAmount: numberOf(row.taxAmount),
    periodStart: timeOf(row.periodStart),
    periodEnd: timeOf(row.periodEnd),
    billingAccount: row.billingAccount,
    subAccount: row.subAccount,
    unit: row.unit,
    usedQuantity: numberOf(row.usedQuantity),
    usedUnit: row.usedUnit,
    sku: row.sku,
    purchaseOrder: row.purchaseOrder,
    costCenter: row.costCenter,
    detailId: row.detailId,
    chargeCategory: row.chargeCategory,
    grain: row.grain,
    paymentCurrency: row.paymentCurrency,
    paymentAmount: numberOf(row.paymentAmount),
    carried: someOf(row.carried),
  })
}

/** Returns the posting fields of an invoice. */
export function serializePosting(row: PostingRow & TaxedInvoice, lines: readonly TaxedLine[]) {
  const tax = taxOf(row, lines)
  return withoutNulls({
    typeCode: row.typeCode,
    purchaseOrder: row.purchaseOrder,
    buyerReference: row.buyerReference,
    costCenter: row.costCenter,
    paymentTerms: row.paymentTerms,
    carried: someOf(row.carried),
    sellerCountry: row.sellerCountry,
    buyerCountry: row.buyerCountry,
    tax: tax && serializeTax(tax),
  })
}

function serializeTax({ net, tax, amountsFrom, breakdown, from, differences }: TaxSums) {
  const { taxable, tax: ofTax, total } = differences
  const nonZero = withoutNulls({
    taxableAmount: Number(taxable) || null,
    taxAmount: Number(ofTax) || null,
    totalAmount: Number(total) || null,
  })
  return {
    netAmount: Number(net),
    taxAmount: Number(tax),
    amountsFrom,
    breakdown: breakdown.map(({ category, rate, taxableAmount, taxAmount, exemptionReason }) => ({
      taxCategory: category,
      ...(rate === null ? {} : { taxRate: Number(rate) }),
      taxableAmount: Number(taxableAmount),
      taxAmount: Number(taxAmount),
      ...(exemptionReason ? { exemptionReason } : {}),
    })),
    ...(from ? { breakdownFrom: from } : {}),
    ...(Object.keys(nonZero).length > 0 ? { differences: nonZero } : {}),
  }
}
