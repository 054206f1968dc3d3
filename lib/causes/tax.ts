import Big from 'big.js'

/**
 * The lines that are tax and nothing else, by the beginning of their details: files of charges name the category there
 * (`Tax, 3 charges`). As a regular expression that PostgreSQL reads alike.
 */
export const TAX_DETAILS = '^Tax(,|$)'

const TAX = new RegExp(TAX_DETAILS)

/**
 * The tax within a line's amount that is a cause of its own: that of a line which is nothing but tax. A line that is
 * billed with tax is told with it, and the tax of lines without it stands beside them (`itemize`). `tax` of the
 * statement in `lib/explanations/lines.ts` is the same.
 */
export function taxWithin({ details }: { details: string | null }, amount: Big): Big {
  return TAX.test(details ?? '') ? amount : new Big(0)
}
