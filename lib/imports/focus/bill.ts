import type Big from 'big.js'
import type { Usage } from '../posting/usage.ts'
import type { Owner } from '../resale/accounts.ts'
import type { BillHeader, ChargeKey } from './fields.ts'

/** Charges priced by a reseller's rule. */
export type Priced = {
  /** Rule in words: `+8 %`, `4.50 each`, `ListCost`. */
  rule: string
  /** Exact amount billed by the vendor. */
  billed: Big
  /** Quantity and unit price of a fixed price. */
  each?: { quantity: Big; price: string } | undefined
}
/** The charges that become one line: their number, and the exact sum that is invoiced for them. */
export type ChargeGroup = ChargeKey & {
  count: number
  cost: Big
  usage: Usage
  priced?: Priced | undefined
}
/** Charges that form one invoice. */
export type Bill = BillHeader & { owner?: Owner | undefined; charges: ChargeGroup[] }

/** Location in a source. */
export type SourceLocation = { file?: string | undefined; line: number }
/** Bill under construction: its first location, and its charges by line key. */
export type BillBuilder = {
  header: BillHeader
  owner?: Owner | undefined
  location: SourceLocation
  groups: Map<string, ChargeGroup>
}
