import { countText } from '#components/ui/count-text.ts'
import type { Decimal } from '#lib/platform/values/money.ts'
import type { View } from './view.ts'

/** One figure of one currency: an amount, and what it is made of. */
export type Stat = {
  name: string
  /** A number, or the exact decimal text of a sum that no number is. */
  amount: Decimal
  note: string
  /** Beside the note, what it does not count. */
  more?: string
  /** Something is past due. */
  isPastDue?: boolean
  /** The view of what the figure counts. */
  view?: View
  /** By how much it is more or less than before, and where that is explained. */
  change?: { text: string; explained?: string }
}

/** `1 invoice`, `1,200 invoices`. */
export function invoicesText(count: number): string {
  return `${countText(count)} ${count === 1 ? 'invoice' : 'invoices'}`
}
