import Big from 'big.js'
import type { Bill, ChargeGroup } from '../focus/bill.ts'
import type { Terms } from '../focus/terms.ts'

/** Terms and order as the issuer tells them, and what the vendor billed as tax: a reseller's tax is its own. */
export function postingOfBill(
  { issue }: Bill,
  charges: readonly ChargeGroup[],
  shares: ReadonlyMap<ChargeGroup, string>,
  { issuer }: Terms,
) {
  const taxes = charges.filter(({ category }) => category.toLowerCase() === 'tax')
  const tax = taxes.reduce((all, charge) => all.plus(shares.get(charge) ?? 0), new Big(0))
  return {
    ...(issue?.terms === undefined ? {} : { paymentTerms: issue.terms }),
    ...(issue?.order === undefined ? {} : { purchaseOrder: issue.order }),
    ...(taxes.length === 0 || issuer !== undefined ? {} : { taxAmount: tax.toFixed() }),
  }
}
