import { listScreen } from '#components/lists/filters/list-screen.ts'
import { type FilterKey, valuesOf } from '#components/lists/filters/view.ts'
import { readStatement } from '#lib/billing/client.ts'
import type { readStatement as contract } from '#lib/billing/statements/contract.ts'
import type { Input } from '#lib/platform/api/contract.ts'

/** What the screen shows: the decoded query of `readStatement`. */
export type View = Input<typeof contract>['query']

export const { hrefOf, pagesOf } = listScreen<View>('/invoices/statement', readStatement.search)

/** Whether both are of the same items, however their filters are written. */
export function isSame(one: View, other: View): boolean {
  const keys = Object.keys({ ...one.filter, ...other.filter }) as FilterKey<View>[]
  const text = (view: View, key: FilterKey<View>) => [...new Set(valuesOf(view, key))].sort().join('|')
  return keys.every((key) => text(one, key) === text(other, key))
}

/** Whether an amount, as text, has so many characters that a sheet of paper has to make room for it. */
export function isLong(amount: string): boolean {
  return amount.length > 14
}
