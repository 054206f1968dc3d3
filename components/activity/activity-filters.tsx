import { DateFilter } from '#components/dates/date-filter.tsx'
import { ToggleChip } from '#components/ui/chip.tsx'
import {
  hasOutcome,
  OUTCOMES,
  rangeOf,
  toggledOutcome,
  type View,
  valuesOf,
  withRange,
  withValues,
} from './activity-view.ts'

/** When, and what became of it. */
export function ActivityFilters({
  view,
  today,
  onChange,
}: {
  view: View
  today: number
  onChange: (view: View) => void
}) {
  const states = valuesOf(view, 'state')
  return (
    <search className="mb-3 flex flex-wrap items-center gap-2">
      <div className="relative">
        <DateFilter
          label="Time of the change"
          range={rangeOf(view)}
          today={today}
          onChange={(range) => onChange(withRange(view, range))}
        />
      </div>
      <fieldset className="flex min-w-0 flex-wrap gap-2">
        <legend className="sr-only">Outcome</legend>
        <ToggleChip pressed={states.length === 0} onToggle={() => onChange(withValues(view, 'state', []))}>
          All
        </ToggleChip>
        {OUTCOMES.map((outcome) => (
          <ToggleChip
            key={outcome.name}
            pressed={hasOutcome(view, outcome)}
            onToggle={() => onChange(toggledOutcome(view, outcome))}
          >
            {outcome.name}
          </ToggleChip>
        ))}
      </fieldset>
    </search>
  )
}
