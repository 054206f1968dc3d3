import type { ComponentProps } from 'react'
import type { ChoiceChips } from './choice-chips.tsx'
import { type DateRange, presetOf, presets } from './date-range.ts'
import { dateFilter, filtersOf } from './filter.tsx'
import type { ListView } from './view.ts'

/** Person or product to filter by. */
export type Choice = { id: string; name: string }

const LAST_WEEK = 'Last 7 days'

type Options<View> = {
  range: DateRange
  today: number
  people: readonly Choice[]
  products: readonly Choice[]
  onRange: (range: DateRange) => void
  onChange: (view: View) => void
}

/** Returns the filters that all logs share: by time, with a chip for the last seven days; by person and by product. */
export function logFilters<View extends ListView>(
  view: View,
  { range, today, people, products, onRange, onChange }: Options<View>,
) {
  const by = filtersOf<ListView>(view, (next) => onChange(next as View))
  const selected = presetOf(range, today) === LAST_WEEK
  const lastWeek = presets(today).find(({ name }) => name === LAST_WEEK)?.range ?? {}
  const week: ComponentProps<typeof ChoiceChips> = {
    legend: 'When',
    allName: null,
    // On phones the filter by time shows it.
    isAll: true,
    choices: [{ value: LAST_WEEK, name: LAST_WEEK, selected }],
    onToggle: () => onRange(selected ? {} : lastWeek),
  }
  return {
    week,
    when: dateFilter({ label: 'When', range, today, onChange: onRange }),
    person: by('actor', { label: 'Person', several: 'people', isFixed: true, ...namesOf(people) }),
    product: by('asset', { label: 'Product', several: 'products', isFixed: true, ...namesOf(products) }),
  }
}

function namesOf(choices: readonly Choice[]) {
  const byName = choices.toSorted((one, other) => one.name.localeCompare(other.name, 'en'))
  const names = new Map(byName.map(({ id, name }) => [id, name]))
  return { options: [...names.keys()], nameOf: (id: string) => names.get(id) ?? id }
}
