import Big from 'big.js'
import { addDays, dayOf } from '#lib/platform/values/days.ts'
import type { BillHeader } from './fields.ts'

/** Exact sum of the charges of one account and period, before any rounding. */
export type Sum = {
  /** Customer from a map of accounts. */
  customer?: string | undefined
  currency: string
  /** Issuer in the file: the vendor, even where the reseller replaces it. */
  issuer: string
  account: string
  /** Days, `YYYY-MM-DD`; the end is exclusive. */
  periodStart: string
  periodEnd: string
  rows: number
  billedCost: string
  /** Invoiced amount: the billed cost, or the reseller's price. */
  amount: string
}

/** Summary of a read, for a report to operators. */
export type ReadSummary = {
  /** Number of rows without headers and blank lines. */
  rows: number
  /** Rows that are in an invoice. */
  used: number
  /** Number of charges; the other rows are lines of invoices. */
  charges: number
  /** Returns the sums, sorted by currency, issuer, account, period and customer. */
  sums(): Sum[]
}

/** Merges two summaries. For an invoice in both, both sums are reported. */
export function bothOf(one: ReadSummary, other: ReadSummary): ReadSummary {
  return {
    rows: one.rows + other.rows,
    used: one.used + other.used,
    charges: one.charges + other.charges,
    sums: () => [...one.sums(), ...other.sums()],
  }
}

export type Tally = { rows: number; billed: Big; amount: Big }

/** Creates a summary with one tally per account and period instead of per row. */
export function createReadSummary() {
  const tallies = new Map<string, Tally>()
  const summary: ReadSummary = {
    rows: 0,
    used: 0,
    charges: 0,
    sums: () => [...tallies.keys()].sort().map((key) => sumOf(key, tallies.get(key) as Tally)),
  }
  const tallyOf = ({ currency, issuer, account, start, end }: BillHeader, customer?: string): Tally => {
    // The end may lie within a day.
    const key = JSON.stringify([
      currency,
      issuer,
      account,
      dayOf(start),
      addDays(dayOf(end - 1), 1),
      customer,
    ])
    const tally = tallies.get(key) ?? { rows: 0, billed: new Big(0), amount: new Big(0) }
    tallies.set(key, tally)
    return tally
  }
  return { summary, tallyOf }
}

function sumOf(key: string, { rows, billed, amount }: Tally): Sum {
  const [currency, issuer, account, periodStart, periodEnd, customer] = JSON.parse(key)
  const money = { billedCost: billed.toFixed(), amount: amount.toFixed() }
  return { ...(customer && { customer }), currency, issuer, account, periodStart, periodEnd, rows, ...money }
}
