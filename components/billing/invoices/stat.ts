import { countText } from '#components/ui/count-text.ts'
import type { Decimal } from '#lib/platform/values/money.ts'
import type { View } from './view.ts'

/** Stat of one currency: an amount and its parts. */
export type Stat = {
  name: string
  /** A number, or the exact decimal text of a sum that no number is. */
  amount: Decimal
  note: string
  /** Second note: amounts that are not counted. */
  more?: string
  /** Something is past due. */
  isPastDue?: boolean
  /** View of the counted invoices. */
  view?: View
  /** Difference from before, and a link to its explanation. */
  change?: { text: string; explained?: string }
}

/** `1 invoice`, `1,200 invoices`. */
export function invoicesText(count: number): string {
  return `${countText(count)} ${count === 1 ? 'invoice' : 'invoices'}`
}
