import type Big from 'big.js'
import type { SeatChange } from '#lib/costs/seat-check.ts'
import type { Part } from './line-match.ts'
import type { BilledFor, CauseKind } from './rules.ts'

/** Days of UTC as epoch milliseconds, both inclusive. */
export type Days = { from: number; to: number }

/** A part of a bill with the tax that is in its amount, and the days that it bills. */
export type BilledPart = Part & {
  tax: Big
  days: Days
  /** The percent of a line that is billed with tax; undefined where it is without tax, or the rate is not known. */
  taxRate?: Big | undefined
}

/** Relation of a license change to a difference. */
export type BilledChange = SeatChange & {
  /** False where the product was found by part of its name, or several assets share the name. */
  sure: boolean
  /** Absent where the change was made in neither period. */
  billed?: { how: BilledFor; days: number; ofDays: number; daysAmount?: Big }
}

/** Cause with its amount: the effects of a product's causes add up to the difference of its amounts. */
export type Cause = {
  kind: CauseKind
  effect: Big
  quantity?: { from: Big; to: Big }
  /** Per unit. */
  price?: { from: Big; to: Big }
  /** In percent; set for `taxRate` only. */
  taxRate?: { from: Big; to: Big }
  change?: BilledChange
  /** Number of products, where they are not listed individually. */
  products?: number
}

/** Changes of the licenses of the assets that a product names. */
export type SeatChanges = {
  changes: readonly SeatChange[]
  sure: boolean
}

/** A product on two bills. */
export type Product = {
  currency: string
  /** Whether the platform sells licenses. */
  isLicensed: boolean
  from: readonly BilledPart[]
  to: readonly BilledPart[]
  /** The periods of the bills, for the side that does not bill the product. */
  during: { from: Days; to: Days }
  seatChanges?: SeatChanges | undefined
}
