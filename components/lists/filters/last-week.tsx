import { ToggleChip } from '#components/ui/chip.tsx'
import { type DateRange, presetOf, presets } from './date-range.ts'

const NAME = 'Last 7 days'

/** Filter for the last seven days with one click. */
export function LastWeek({
  range,
  today,
  onChange,
}: {
  range: DateRange
  today: number
  onChange: (range: DateRange) => void
}) {
  const selected = presetOf(range, today) === NAME
  const week = presets(today).find(({ name }) => name === NAME)?.range ?? {}
  return (
    <ToggleChip selected={selected} onToggle={() => onChange(selected ? {} : week)}>
      {NAME}
    </ToggleChip>
  )
}
