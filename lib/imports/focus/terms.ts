import type { ImportProblem } from '#lib/imports/import-error.ts'
import type { Accounts } from '../resale/accounts.ts'
import type { Prices } from '../resale/prices.ts'
import type { Platforms } from './platforms.ts'

/** How an operator wants a file's charges made into invoices. */
export type Terms = {
  platforms: Platforms
  /** Whole days from the invoice date. */
  dueDays: number
  /** Nothing is left to pay. Otherwise the file says nothing of payments. */
  paid: boolean
  /** The id of the customer whose charges these are where there is no map of accounts: its price rules hold. */
  customer?: string | undefined
  /** Leads each account to its customer. Absent: all charges are of one customer. */
  accounts?: Accounts | undefined
  /** The reseller, in the vendor's place. */
  issuer?: string | undefined
  /** The reseller's prices. */
  prices?: Prices | undefined
  /** The reseller passes the vendor's amounts on as they are. */
  atCost?: boolean | undefined
  /** Keys of the tags that are kept of charges. */
  tags?: readonly string[] | undefined
}

/** What of the terms contradicts itself; nobody's cost is shown to a customer by an option that was forgotten. */
export function validateTerms({ issuer, prices, atCost = false }: Terms): ImportProblem[] {
  const problems: ImportProblem[] = []
  if (issuer !== undefined && !prices && !atCost)
    problems.push({ reason: '--issuer needs --prices, or --at-cost to bill what the vendor billed' })
  if (issuer === undefined && (prices || atCost))
    problems.push({ reason: `${prices ? '--prices' : '--at-cost'} needs --issuer: whose prices they are` })
  if (prices && atCost)
    problems.push({ reason: '--prices and --at-cost contradict each other; a rule +0% bills the cost' })
  return problems
}
