import { ActiveFilters } from '#components/lists/filters/active-filters.tsx'
import { cleared, valuesOf, withValues } from '#components/lists/filters/view.ts'
import { WhenAndWhich } from '#components/lists/filters/when-and-which.tsx'
import { ViewMenu } from '#components/lists/views/view-menu.tsx'
import type { LicenseChange } from '#lib/licenses/license-changes/contract.ts'
import {
  activeFilters,
  hasOutcome,
  isFiltered,
  OUTCOMES,
  rangeOf,
  toggledOutcome,
  type View,
  withRange,
} from './view.ts'

/** When, and what became of it. */
export function ActivityFilters({
  view,
  rows,
  today,
  onChange,
}: {
  view: View
  /** Those in sight: they name the asset that is filtered by. */
  rows: readonly LicenseChange[]
  today: number
  onChange: (view: View) => void
}) {
  return (
    <WhenAndWhich
      when={{
        label: 'When',
        range: rangeOf(view),
        today,
        onChange: (range) => onChange(withRange(view, range)),
      }}
      which={{
        legend: 'Outcome',
        isAll: valuesOf(view, 'state').length === 0,
        choices: OUTCOMES.map((outcome) => ({
          value: outcome.name,
          name: outcome.name,
          isOn: hasOutcome(view, outcome),
        })),
        onAll: () => onChange(withValues(view, 'state', [])),
        onToggle: (name) => {
          const outcome = OUTCOMES.find((one) => one.name === name)
          if (outcome) onChange(toggledOutcome(view, outcome))
        },
      }}
    >
      <ViewMenu path="/activity" />
      <ActiveFilters
        active={activeFilters(view, rows)}
        isFiltered={isFiltered(view)}
        cleared={cleared(view)}
        onChange={onChange}
      />
    </WhenAndWhich>
  )
}
