import type { Charge, InvoiceCharges } from './contract.ts'
import type { LineReconciliation, Part, Reconciliation } from './reconciliation.ts'
import type { ChargeRow } from './store.ts'

const serializePart = ({ count, amount }: Part) => ({ count, amount: Number(amount) })

/** Serializes the comparison of an invoice with its charges. */
export function serializeReconciliation(reconciliation: Reconciliation): InvoiceCharges {
  const { agrees, difference, rounding, corrections, apart, withoutLine, withoutCharges, categories } =
    reconciliation
  return {
    ...serializePart(reconciliation),
    agrees,
    differenceAmount: Number(difference),
    roundingAmount: Number(rounding),
    corrections: serializePart(corrections),
    ...(apart ? { apart: serializePart(apart) } : {}),
    ...(withoutLine ? { withoutLine: serializePart(withoutLine) } : {}),
    ...(withoutCharges ? { withoutCharges: serializePart(withoutCharges) } : {}),
    ...(categories
      ? {
          categories: categories.map(({ category, billed, charges, difference }) => ({
            category,
            billedAmount: Number(billed),
            chargesAmount: Number(charges),
            differenceAmount: Number(difference),
          })),
        }
      : {}),
  }
}

/** Serializes the comparison of a line with its charges. */
export function serializeLineReconciliation(line: LineReconciliation) {
  return {
    ...serializePart(line),
    agrees: !line.isMismatched,
    differenceAmount: Number(line.difference),
    corrections: serializePart(line.corrections),
  }
}

export function serializeCharge(row: ChargeRow): Charge {
  return {
    position: row.position + 1,
    ...(row.detail === null ? {} : { detailId: row.detail }),
    chargeCategory: row.category,
    ...(row.class === null ? {} : { chargeClass: row.class }),
    serviceName: row.service,
    ...(row.description === null ? {} : { description: row.description }),
    ...(row.start === null ? {} : { periodStart: row.start }),
    ...(row.end === null ? {} : { periodEnd: row.end }),
    billingAccount: row.account,
    ...(row.subAccount === null ? {} : { subAccount: row.subAccount }),
    ...(row.quantity === null ? {} : { quantity: Number(row.quantity) }),
    ...(row.unit === null ? {} : { unit: row.unit }),
    amount: Number(row.cost),
    currency: row.currency,
    ...(row.tags === null ? {} : { tags: row.tags }),
  }
}
