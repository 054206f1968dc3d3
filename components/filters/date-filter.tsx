import { CalendarDays, ChevronDown } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { FILTER_BUTTON, FILTER_MENU } from '#components/ui/filter-button.ts'
import { FilterMenu } from '#components/ui/filter-menu.tsx'
import { MENU_ITEM, Menu } from '#components/ui/menu.tsx'
import { type DateRange, presetOf, presets, rangeText } from './date-range.ts'

// It comes when it is asked for; its place is kept.
const OwnRange = lazy(() =>
  import('#components/filter-forms/own-range.tsx').then(({ OwnRange }) => ({ default: OwnRange })),
)

type Given = {
  /** Whose date it is. */
  label: string
  range: DateRange
  today: number
  onChange: (range: DateRange) => void
}

/** From when to when: a preset, or two days of UTC. */
export function DateFilter(given: Given) {
  const text = presetOf(given.range, given.today) ?? rangeText(given.range)
  return (
    <Menu
      label={`${given.label}: ${text}`}
      buttonClassName={FILTER_BUTTON}
      rootClassName={FILTER_MENU}
      className={PANEL}
      button={
        <>
          <CalendarDays aria-hidden="true" className="size-3.5 text-ink-3" />
          <span className="tabular-nums">{text}</span>
          <ChevronDown aria-hidden="true" className="size-3.5 text-ink-3" />
        </>
      }
    >
      {(close) => <Ranges {...given} close={close} />}
    </Menu>
  )
}

/** The same as a filter that is taken off where it is set. */
export function DateFilterMenu(given: Given) {
  const { label, range, today, onChange } = given
  const text = presetOf(range, today) ?? rangeText(range)
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

function Ranges({ range, today, onChange, close }: Given & { close: () => void }) {
  const preset = presetOf(range, today)
  const choose = (chosen: DateRange) => {
    close()
    onChange(chosen)
  }
  return (
    <>
      <div className="grid grid-cols-2">
        {presets(today).map(({ name, range: offered }) => (
          <button
            key={name}
            type="button"
            aria-current={name === preset ? 'true' : undefined}
            onClick={() => choose(offered)}
            className={MENU_ITEM}
          >
            {name}
          </button>
        ))}
      </div>
      <hr className="my-1.5 border-line" />
      <Suspense fallback={<div className="h-48" />}>
        <OwnRange range={range} onChoose={choose} />
      </Suspense>
    </>
  )
}
