import { CalendarDays } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { Button } from '#components/ui/button.tsx'
import { Field } from '#components/ui/field.tsx'
import { FilterMenu } from '#components/ui/filter-menu.tsx'
import { MENU_ITEM } from '#components/ui/menu.tsx'
import {
  type DateRange,
  dayOfInput,
  inputDay,
  type Preset,
  presetOf,
  presets,
  rangeText,
} from './date-range.ts'

type Given = {
  /** Whose date it is. */
  label: string
  range: DateRange
  today: number
  /** The ranges that are offered by name: those of what is past, unless told. */
  presets?: (today: number) => Preset[]
  onChange: (range: DateRange) => void
}

/** From when to when: a preset, or two days of UTC. */
export function DateFilterMenu(given: Given) {
  const { label, range, today, onChange } = given
  const text = presetOf(range, today, given.presets) ?? rangeText(range)
  const isOff = range.from === undefined && range.to === undefined
  return (
    <FilterMenu
      label={label}
      off={text}
      value={isOff ? undefined : text}
      icon={<CalendarDays aria-hidden="true" className="size-3.5" />}
      onClear={() => onChange({})}
      className={PANEL}
    >
      {(close) => <Ranges {...given} close={close} />}
    </FilterMenu>
  )
}

const PANEL = 'w-74'

function Ranges({
  range,
  today,
  presets: offered = presets,
  onChange,
  close,
}: Given & { close: () => void }) {
  const preset = presetOf(range, today, offered)
  const choose = (chosen: DateRange) => {
    close()
    onChange(chosen)
  }
  return (
    <>
      <div className="grid grid-cols-2">
        {offered(today).map(({ name, range: its }) => (
          <button
            key={name}
            type="button"
            aria-current={name === preset ? 'true' : undefined}
            onClick={() => choose(its)}
            className={MENU_ITEM}
          >
            {name}
          </button>
        ))}
      </div>
      <hr className="my-1.5 border-line" />
      <OwnRange range={range} onChoose={choose} />
    </>
  )
}

function OwnRange({ range, onChoose }: { range: DateRange; onChoose: (range: DateRange) => void }) {
  const [from, setFrom] = useState(inputDay(range.from))
  const [to, setTo] = useState(inputDay(range.to))
  const chosen = { from: dayOfInput(from), to: dayOfInput(to) }
  const isBackwards = chosen.from !== undefined && chosen.to !== undefined && chosen.to < chosen.from
  const problem = isBackwards ? 'Ends before it starts: choose a later day, or an earlier start.' : undefined
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isBackwards) onChoose(chosen)
  }
  return (
    <form onSubmit={submit} className="grid gap-2.5 p-2">
      <Field
        label="From"
        type="date"
        value={from}
        max="9999-12-31"
        onChange={(event) => setFrom(event.target.value)}
      />
      <Field
        label="To"
        type="date"
        value={to}
        max="9999-12-31"
        onChange={(event) => setTo(event.target.value)}
        error={problem}
      />
      <div className="flex items-center justify-between gap-2">
        <span className="text-xs text-ink-3">Days of UTC, both included</span>
        <Button type="submit" look="primary" disabled={isBackwards}>
          Apply
        </Button>
      </div>
    </form>
  )
}
