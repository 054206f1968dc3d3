import Big from 'big.js'

/**
 * The lines that are tax and nothing else, by the beginning of their details: files of charges name the category there
 * (`Tax, 3 charges`). As a regular expression that PostgreSQL reads alike.
 */
export const TAX_DETAILS = '^Tax(,|$)'

const TAX = new RegExp(TAX_DETAILS)

/**
 * The tax within a line's amount. This, and `tax` of the statement in `lib/explanations/lines.ts`, is the place for a
 * tax amount that a line has of its own.
 */
export function taxWithin({ details }: { details: string | null }, amount: Big): Big {
  return TAX.test(details ?? '') ? amount : new Big(0)
}
