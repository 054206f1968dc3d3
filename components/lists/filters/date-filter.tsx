import { CalendarDays } from 'lucide-react'
import { FilterMenu } from '#components/ui/filter-menu.tsx'
import { lazyWithPreload } from '#components/ui/lazy-with-preload.tsx'
import { MENU_ITEM } from '#components/ui/menu.tsx'
import { type DateRange, type Preset, presetOf, presets, rangeText } from './date-range.ts'

const CustomRange = lazyWithPreload(
  () => import('./custom-range.tsx').then(({ CustomRange }) => CustomRange),
  () => <div className="h-48" />,
)

type DateFilterMenuProps = {
  /** Name of the date. */
  label: string
  range: DateRange
  today: number
  /** Returns the named ranges; by default those in the past. */
  presets?: (today: number) => Preset[]
  onChange: (range: DateRange) => void
}

/** Filter for a range of days: a preset, or two days in UTC. */
export function DateFilterMenu(props: DateFilterMenuProps) {
  const { label, range, today, onChange } = props
  const text = presetOf(range, today, props.presets) ?? rangeText(range)
  const isOff = range.from === undefined && range.to === undefined
  return (
    <FilterMenu
      label={label}
      off={text}
      value={isOff ? undefined : text}
      icon={<CalendarDays aria-hidden="true" className="size-3.5" />}
      onClear={() => onChange({})}
      className={PANEL}
      preload={CustomRange.preload}
    >
      {(close) => <Ranges {...props} close={close} />}
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
}: DateFilterMenuProps & { close: () => void }) {
  const preset = presetOf(range, today, offered)
  const choose = (selected: DateRange) => {
    close()
    onChange(selected)
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
      <CustomRange range={range} onChoose={choose} />
    </>
  )
}
