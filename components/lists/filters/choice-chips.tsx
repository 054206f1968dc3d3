import { ToggleChip } from '#components/ui/chip.tsx'

type Choice = {
  value: string
  name: string
  selected: boolean
}

/** Filter with few values, each a toggle chip; without a selected one, all values match. */
export function ChoiceChips({
  legend,
  allName = 'All',
  isAll,
  choices,
  onAll,
  onToggle,
}: {
  legend: string
  /** Name of the chip of all values; null for none. */
  allName?: string | null
  isAll: boolean
  choices: readonly Choice[]
  onAll?: () => void
  onToggle: (value: string) => void
}) {
  return (
    <fieldset className="flex min-w-0 flex-wrap gap-1 max-md:gap-2">
      <legend className="sr-only">{legend}</legend>
      {allName === null || !onAll ? null : (
        <ToggleChip selected={isAll} onToggle={onAll}>
          {allName}
        </ToggleChip>
      )}
      {choices.map(({ value, name, selected }) => (
        <ToggleChip key={value} selected={selected} onToggle={() => onToggle(value)}>
          {name}
        </ToggleChip>
      ))}
    </fieldset>
  )
}
