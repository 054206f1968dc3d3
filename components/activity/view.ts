import { listScreen } from '#components/filters/list-screen.ts'
import { type ActiveFilter, activeValues, toggled, valuesOf, withValues } from '#components/filters/view.ts'
import { outcomeText } from '#components/license-changes/change-outcome.tsx'
import type { Input } from '#lib/api/contract.ts'
import type { listLicenseChanges as contract, LicenseChange } from '#lib/license-changes/contract.ts'
import { listLicenseChanges } from '#lib/license-changes/queries.ts'
import { OPEN_STATES } from '#lib/license-changes/rules.ts'

/** What the screen shows: the decoded query of `listLicenseChanges`. */
export type View = Input<typeof contract>['query']

const screen = listScreen<View>('/activity', listLicenseChanges.search)
export const { hrefOf, pagesOf, isFiltered, rangeOf, withRange } = screen

/** What became of a change, as people look for it, and the states that it stands for. */
export const OUTCOMES: readonly { name: string; states: readonly string[] }[] = [
  { name: 'Open', states: OPEN_STATES },
  { name: 'Applied', states: ['APPLIED'] },
  { name: 'Refused', states: ['REJECTED'] },
  { name: 'Not applied', states: ['FAILED'] },
  { name: 'Unclear', states: ['UNCLEAR'] },
  { name: 'Changed at the vendor', states: ['DRIFT'] },
  { name: 'Recorded by import', states: ['RECORDED'] },
]

/** Whether a view shows an outcome by name. */
export function hasOutcome(view: View, { states }: (typeof OUTCOMES)[number]): boolean {
  const chosen = valuesOf(view, 'state')
  return states.every((state) => chosen.includes(state))
}

/** The view with an outcome put in, or taken out where it was in. */
export function toggledOutcome(view: View, outcome: (typeof OUTCOMES)[number]): View {
  const others = valuesOf(view, 'state').filter((state) => !outcome.states.includes(state))
  return withValues(view, 'state', hasOutcome(view, outcome) ? others : [...others, ...outcome.states])
}

/** Every filter that is on, each with the view without it. An asset is named where `rows` know its name. */
export function activeFilters(
  view: View,
  rows: readonly LicenseChange[],
  today: number,
): ActiveFilter<View>[] {
  const nameOf = (id: string) => rows.find(({ assetId }) => assetId === id)?.assetName ?? id
  return [...activeValues(view, 'asset', nameOf), ...screen.activeRange(view, today), ...outcomeFilters(view)]
}

/** Whole outcomes by their name; states that an address names alone, by theirs. */
function outcomeFilters(view: View): ActiveFilter<View>[] {
  const whole = OUTCOMES.filter((outcome) => hasOutcome(view, outcome))
  const named = whole.flatMap(({ states }) => states)
  const rest = new Set(valuesOf(view, 'state').filter((state) => !named.includes(state)))
  return [
    ...whole.map((outcome) => ({ text: outcome.name, without: toggledOutcome(view, outcome) })),
    ...[...rest].map((state) => ({ text: outcomeText(state), without: toggled(view, 'state', state) })),
  ]
}
