import { pathWith } from '#components/lists/filters/list-screen.ts'
import { explainMonth } from '#lib/costs/client.ts'
import type { explainMonth as contract } from '#lib/costs/explanations/contract.ts'
import type { Input } from '#lib/platform/api/contract.ts'

/** Decoded query of `explainMonth`, which the screen shows. */
export type View = Input<typeof contract>['query']

/** Address of the screen without a month, which selects one itself. */
export const EXPLAIN = '/invoices/explain'

export const searchOf = (view: View) => explainMonth.search(view)

export function hrefOf(view: View): string {
  return pathWith(EXPLAIN, searchOf(view))
}

/** Returns the view with its month and no filters. */
export function cleared({ month }: View): View {
  return { month }
}
