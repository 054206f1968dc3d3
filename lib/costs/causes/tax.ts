import Big from 'big.js'

/**
 * The first four letters of the details of lines that are tax and nothing else: files of charges name the category there
 * (`Tax, 3 charges`).
 */
export const TAX_STARTS = ['Tax', 'Tax,']

/** Whether a line is tax and nothing else. */
export function isTaxLine({ details }: { details: string | null }): boolean {
  return TAX_STARTS.includes((details ?? '').slice(0, 4))
}

/**
 * The tax within a line's amount that is a cause of its own: that of a line which is nothing but tax. A line that is
 * billed with tax is told with it, and the tax of lines without it stands beside them (`itemize`).
 * `lib/costs/explanations/lines.ts` asks the same in SQL.
 */
export function taxWithin(line: { details: string | null }, amount: Big): Big {
  return isTaxLine(line) ? amount : new Big(0)
}
