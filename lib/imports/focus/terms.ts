import type { ImportProblem } from '#lib/imports/import-error.ts'
import type { Accounts } from '../resale/accounts.ts'
import type { Prices } from '../resale/prices.ts'
import type { Platforms } from './platforms.ts'

/** Operator's options for turning a file's charges into invoices. */
export type Terms = {
  platforms: Platforms
  /** Whole days from the invoice date. */
  dueDays: number
  /** Whether the invoices are paid in full. Otherwise the file states no payments. */
  paid: boolean
  /** Id of the customer of all charges where there is no map of accounts; selects the customer's price rules. */
  customer?: string | undefined
  /** Map of accounts to customers. Absent: all charges belong to one customer. */
  accounts?: Accounts | undefined
  /** The reseller, in the vendor's place. */
  issuer?: string | undefined
  /** The reseller's prices. */
  prices?: Prices | undefined
  /** Whether the reseller passes the vendor's amounts on unchanged. */
  atCost?: boolean | undefined
  /** Keys of the charges' tags to store. */
  tags?: readonly string[] | undefined
}

/** Terms of prices, or the options that name them. */
type PriceTerms = { [option in 'issuer' | 'prices' | 'atCost']?: unknown }

/** Returns contradictions of the terms; prevents an omitted option from exposing the reseller's cost to a customer. */
export function validateTerms({ issuer, prices, atCost }: PriceTerms): ImportProblem[] {
  const problems: ImportProblem[] = []
  if (issuer !== undefined && !prices && !atCost)
    problems.push({ reason: '--issuer needs --prices, or --at-cost to bill what the vendor billed' })
  if (issuer === undefined && (prices || atCost))
    problems.push({ reason: `${prices ? '--prices' : '--at-cost'} needs --issuer: whose prices they are` })
  if (prices && atCost)
    problems.push({ reason: '--prices and --at-cost contradict each other; a rule +0% bills the cost' })
  return problems
}
