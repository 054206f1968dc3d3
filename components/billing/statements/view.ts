import { listScreen } from '#components/lists/filters/list-screen.ts'
import { type FilterKey, valuesOf } from '#components/lists/filters/view.ts'
import { readStatement } from '#lib/billing/client.ts'
import type { readStatement as contract } from '#lib/billing/statements/contract.ts'
import type { Input } from '#lib/platform/api/contract.ts'

/** Decoded query of `readStatement`, which the screen shows. */
export type View = Input<typeof contract>['query']

export const { hrefOf, pagesOf } = listScreen<View>('/invoices/statement', readStatement.search)

/** Returns whether two views select the same items, even if their filters are written differently. */
export function isSame(one: View, other: View): boolean {
  const keys = Object.keys({ ...one.filter, ...other.filter }) as FilterKey<View>[]
  const text = (view: View, key: FilterKey<View>) => [...new Set(valuesOf(view, key))].sort().join('|')
  return keys.every((key) => text(one, key) === text(other, key))
}

/** Returns whether an amount, as text, is so long that the printed page needs a compact layout. */
export function isLong(amount: string): boolean {
  return amount.length > 14
}
