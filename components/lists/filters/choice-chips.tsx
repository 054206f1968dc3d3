import type { ReactNode } from 'react'
import { ToggleChip } from '#components/ui/chip.tsx'

type Choice = {
  value: string
  name: ReactNode
  selected: boolean
  /** Number of rows with this value, where known. */
  count?: number | undefined
}

/** Filter with few values, each a toggle chip; without a selected one, all values match. */
export function ChoiceChips({
  legend,
  isAll,
  count,
  choices,
  onAll,
  onToggle,
}: {
  legend: string
  isAll: boolean
  /** Number of rows with any value, where known. */
  count?: number | undefined
  choices: readonly Choice[]
  onAll: () => void
  onToggle: (value: string) => void
}) {
  return (
    <fieldset className="flex min-w-0 flex-wrap gap-2">
      <legend className="sr-only">{legend}</legend>
      <ToggleChip selected={isAll} count={count} onToggle={onAll}>
        All
      </ToggleChip>
      {choices.map(({ value, name, selected, count: choiceCount }) => (
        <ToggleChip key={value} selected={selected} count={choiceCount} onToggle={() => onToggle(value)}>
          {name}
        </ToggleChip>
      ))}
    </fieldset>
  )
}
