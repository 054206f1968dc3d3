import { DAY_MS, type DateRange, rangeName } from '#components/dates/date-range.ts'
import { outcomeText } from '#components/license-changes/change-outcome.tsx'
import type { ActiveFilter } from '#components/ui/active-filters.tsx'
import type { Input } from '#lib/api/contract.ts'
import type { listLicenseChanges as contract, LicenseChange } from '#lib/license-changes/contract.ts'
import { listLicenseChanges } from '#lib/license-changes/queries.ts'
import { OPEN_STATES } from '#lib/license-changes/rules.ts'

/** What the screen shows: the decoded query of `listLicenseChanges`. Its address is that call's query string. */
export type View = Input<typeof contract>['query']
type FilterKey = keyof NonNullable<View['filter']>

/** What became of a change, as people look for it, and the states that it stands for. */
export const OUTCOMES: readonly { name: string; states: readonly string[] }[] = [
  { name: 'Open', states: OPEN_STATES },
  { name: 'Applied', states: ['APPLIED'] },
  { name: 'Refused', states: ['REJECTED'] },
  { name: 'Not applied', states: ['FAILED'] },
  { name: 'Changed at the vendor', states: ['DRIFT'] },
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

/** The screen's address. */
export function hrefOf(view: View): string {
  const search = listLicenseChanges.search(view)
  return search ? `/activity?${search}` : '/activity'
}

/** The view with other filters: from its first page on, for a page token fits its own filters only. */
export function changed(view: View, change: View): View {
  const { pageToken: _, ...rest } = view
  return { ...rest, ...change }
}

/** The view with a value of one key put in, or taken out where it was in. */
export function toggled(view: View, key: FilterKey, value: string): View {
  const values = valuesOf(view, key)
  const without = values.filter((other) => other !== value)
  return withValues(view, key, without.length < values.length ? without : [...values, value])
}

/** The view with these values of one key of the filter; none takes the key away. */
export function withValues(view: View, key: FilterKey, values: readonly string[]): View {
  const { [key]: _, ...others } = view.filter ?? {}
  const filter = values.length > 0 ? { ...others, [key]: [...values] } : others
  return changed(view, { filter: Object.keys(filter).length > 0 ? filter : undefined })
}

export function valuesOf(view: View, key: FilterKey): readonly string[] {
  return view.filter?.[key] ?? []
}

// Any later time means the same; a date could not name it.
const LAST = Date.UTC(9999, 11, 31)

/** The days of UTC that hold the ends of a view's time. */
export function rangeOf({ minCreationTime: min, maxCreationTime: max }: View): DateRange {
  const dayOf = (at: number) => Math.floor(Math.min(at, LAST) / DAY_MS) * DAY_MS
  return { from: min === undefined ? undefined : dayOf(min), to: max === undefined ? undefined : dayOf(max) }
}

/** The view of these days, the last one all of it. */
export function withRange(view: View, { from, to }: DateRange): View {
  const end = to === undefined ? undefined : to + DAY_MS - 1
  return changed(view, { minCreationTime: from, maxCreationTime: end })
}

/** The view without any filter. */
export function cleared({ maxResults }: View): View {
  return { maxResults }
}

export function isFiltered({ filter, minCreationTime, maxCreationTime }: View): boolean {
  return listLicenseChanges.search({ filter, minCreationTime, maxCreationTime }) !== ''
}

/** Every filter that is on, each with the view without it. An asset is named where `rows` know its name. */
export function activeFilters(
  view: View,
  rows: readonly LicenseChange[],
  today: number,
): ActiveFilter<View>[] {
  const range = rangeName(rangeOf(view), today)
  const nameOf = (id: string) => rows.find(({ assetId }) => assetId === id)?.assetName ?? id
  const values = (key: FilterKey, name: (value: string) => string) =>
    [...new Set(valuesOf(view, key))].map((value) => ({
      text: name(value),
      without: toggled(view, key, value),
    }))
  return [
    ...values('asset', nameOf),
    ...(range ? [{ text: range, without: withRange(view, {}) }] : []),
    ...outcomeFilters(view),
  ]
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
