/**
 * Why one bill is dearer than another. `licenses`: their number, on a platform that sells licenses. `usage`: the
 * quantity of anything else. `amount`: what number and price do not tell apart, such as the amount of a single charge.
 * `taxRate`: another rate of the tax, in lines that are billed with it, in lines of tax, or beside the lines.
 * `smaller`: the products that are not told one by one.
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

/** What people call them. */
export const CAUSE_NAMES: Record<CauseKind, string> = {
  licenses: 'Licenses',
  usage: 'Usage',
  price: 'Price',
  amount: 'Amount',
  new: 'New',
  gone: 'Gone',
  credit: 'Credit or discount',
  tax: 'Tax',
  taxRate: 'Tax rate',
  rounding: 'Rounding',
  notItemized: 'Not itemized',
  smaller: 'Smaller differences',
}

/**
 * Where the tax of invoices stands: in their lines, whose causes are then with tax; or beside them, where it is a cause
 * of its own.
 */
export const TAX_PLACEMENTS = ['IN_LINES', 'BESIDE_LINES', 'BOTH'] as const
export type TaxPlacement = (typeof TAX_PLACEMENTS)[number]

/**
 * How a change of licenses is billed for the period in which it was made: all of it, though the licenses were another
 * number before; by its days; or from the next period on.
 */
export const BILLED_FOR = ['wholePeriod', 'days', 'nextPeriod'] as const
export type BilledFor = (typeof BILLED_FOR)[number]
