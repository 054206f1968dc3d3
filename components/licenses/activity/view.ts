import { outcomeText } from '#components/licenses/license-changes/change-outcome.tsx'
import { listScreen } from '#components/lists/filters/list-screen.ts'
import { type ActiveFilter, toggled, valuesOf, withValues } from '#components/lists/filters/view.ts'
import { listLicenseChanges } from '#lib/licenses/client.ts'
import type { listLicenseChanges as contract } from '#lib/licenses/license-changes/contract.ts'
import { OPEN_STATES } from '#lib/licenses/license-changes/rules.ts'
import type { Input } from '#lib/platform/api/contract.ts'

/** Decoded query of `listLicenseChanges`, which the screen shows. */
export type View = Input<typeof contract>['query']

const screen = listScreen<View>('/activity', listLicenseChanges.search)
export const { hrefOf, pagesOf, isFiltered, rangeOf, withRange } = screen

/** Outcomes that members filter by, each with its states. */
export const OUTCOMES: readonly { name: string; states: readonly string[] }[] = [
  { name: 'Open', states: OPEN_STATES },
  { name: 'Applied', states: ['APPLIED'] },
  { name: 'Refused', states: ['REJECTED'] },
  { name: 'Not applied', states: ['FAILED'] },
  { name: 'Unclear', states: ['UNCLEAR'] },
  { name: 'Changed at the vendor', states: ['DRIFT'] },
  { name: 'Recorded by import', states: ['RECORDED'] },
]

/** Returns whether a view selects all states of an outcome. */
export function hasOutcome(view: View, { states }: (typeof OUTCOMES)[number]): boolean {
  const selected = valuesOf(view, 'state')
  return states.every((state) => selected.includes(state))
}

/** Returns the view with an outcome added or, if present, removed. */
export function toggledOutcome(view: View, outcome: (typeof OUTCOMES)[number]): View {
  const others = valuesOf(view, 'state').filter((state) => !outcome.states.includes(state))
  return withValues(view, 'state', hasOutcome(view, outcome) ? others : [...others, ...outcome.states])
}

/** Returns the active filters without a control: states that do not add up to a whole outcome. */
export function activeFilters(view: View): ActiveFilter<View>[] {
  const named = OUTCOMES.filter((outcome) => hasOutcome(view, outcome)).flatMap(({ states }) => states)
  const rest = new Set(valuesOf(view, 'state').filter((state) => !named.includes(state)))
  return [...rest].map((state) => ({ text: outcomeText(state), without: toggled(view, 'state', state) }))
}
