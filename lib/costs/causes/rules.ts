/**
 * Causes of a difference between bills. `licenses`: their number, on a platform that sells licenses. `usage`: the
 * quantity of anything else. `amount`: differences that number and price do not separate, such as the amount of a
 * single charge. `taxRate`: a different tax rate, in lines billed with tax, in tax lines or beside the lines. `smaller`: products that are not listed
 * individually.
 */
export const CAUSES = [
  'licenses',
  'usage',
  'price',
  'amount',
  'new',
  'gone',
  'credit',
  'tax',
  'taxRate',
  'rounding',
  'notItemized',
  'smaller',
] as const
export type CauseKind = (typeof CAUSES)[number]

/** Names of the causes for people. */
export const CAUSE_NAMES: Record<CauseKind, string> = {
  licenses: 'Licenses',
  usage: 'Usage',
  price: 'Price',
  amount: 'Amount',
  new: 'New',
  gone: 'Removed',
  credit: 'Credit or discount',
  tax: 'Tax',
  taxRate: 'Tax rate',
  rounding: 'Rounding',
  notItemized: 'Not itemized',
  smaller: 'Smaller differences',
}

/**
 * Placement of the tax on invoices: in their lines, whose causes then include tax; or in addition to the lines, as a
 * separate cause.
 */
export const TAX_PLACEMENTS = ['IN_LINES', 'BESIDE_LINES', 'BOTH'] as const
export type TaxPlacement = (typeof TAX_PLACEMENTS)[number]

/**
 * Billing of a license change for the period of the change: as if the number applied to the whole period; by days; or
 * from the next period on.
 */
export const BILLED_FOR = ['wholePeriod', 'days', 'nextPeriod'] as const
export type BilledFor = (typeof BILLED_FOR)[number]
