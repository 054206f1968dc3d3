import type Big from 'big.js'
import type { Usage } from '../posting/usage.ts'
import type { Owner } from '../resale/accounts.ts'
import type { BillHeader, ChargeKey } from './fields.ts'

/** What a reseller's rule made of charges. */
export type Priced = {
  /** In words: `+8 %`, `4.50 each`, `ListCost`. */
  rule: string
  /** What the vendor billed, exactly. */
  billed: Big
  /** Of a fixed price: how many, and for how much each. */
  each?: { quantity: Big; price: string } | undefined
}
/** The charges that become one line: their number, and the exact sum that is invoiced for them. */
export type ChargeGroup = ChargeKey & {
  count: number
  cost: Big
  usage: Usage
  priced?: Priced | undefined
}
/** What becomes one invoice. */
export type Bill = BillHeader & { owner?: Owner | undefined; charges: ChargeGroup[] }

/** Where something stands. */
export type SourceLocation = { file?: string | undefined; line: number }
/** A bill while it is gathered: where it begins, and its charges by what tells their lines apart. */
export type BillBuilder = {
  header: BillHeader
  owner?: Owner | undefined
  location: SourceLocation
  groups: Map<string, ChargeGroup>
}
