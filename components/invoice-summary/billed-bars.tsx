import { useRef, useState } from 'react'
import type { View } from '#components/invoices/view.ts'
import { ticksBetween } from '#components/ui/ticks.ts'
import { monthName } from '#lib/days.ts'
import { keyOf, type MonthBar, type Place, placeAfter } from './billed.ts'
import { BilledBar } from './billed-bar.tsx'
import { compactText, labelledMonths, percent } from './billed-labels.ts'

const TOP = 8
const PLOT = 150
/** Folded into a line, in which there is no room for amounts and months: those are told of what is pointed at. */
const FOLDED = { top: 1, height: 34 }
/** Of links, which a drawing is not told to have. */
const GROUP = { role: 'group' } as const
const TEXT = 'fill-ink-3 text-xs tabular-nums'
/** Bars of a few months are no wider than those of a year. */
const FEWEST_SLOTS = 12

type Given = {
  bars: readonly MonthBar[]
  currency: string
  view: View
  onGo: (view: View) => void
  /** What the pointer or the focus is on, in words. */
  onPoint: (what: string | undefined) => void
  isFolded: boolean
}

/**
 * A bar per month, its platforms one on the other. Places across are shares of the width, so that one drawing fits
 * every screen and its words keep their size. Tab comes to one month or platform, the arrow keys lead to the others.
 */
export function BilledBars({ bars, onPoint, isFolded, ...rest }: Given) {
  const svg = useRef<SVGSVGElement>(null)
  const [last, setLast] = useState<Place>()
  const ends = bars.flatMap(({ segments }) => segments.flatMap(({ low, high }) => [low, high]))
  const ticks = ticksBetween(Math.min(0, ...ends), Math.max(0, ...ends))
  const [bottom = 0, top = 1] = [ticks[0], ticks.at(-1)]
  const bounds = isFolded ? FOLDED : { top: TOP, height: PLOT }
  const [begin, end] = isFolded ? [Math.min(0, ...ends), Math.max(0, ...ends) || 1] : [bottom, top]
  const y = (amount: number) =>
    bounds.top + Math.round(((end - amount) / (end - begin)) * bounds.height * 10) / 10
  const slots = Math.max(bars.length, FEWEST_SLOTS)
  const names = ticks.map(compactText)
  const stop = keyOf(stopOf(bars, last))

  const onFocus = (at: Place, what: string) => {
    setLast(at)
    onPoint(what)
  }
  const onArrow = (from: Place, key: string) => {
    const next = placeAfter(bars, from, key)
    if (!next) return false
    svg.current?.querySelector<SVGAElement>(`[data-place="${CSS.escape(keyOf(next))}"]`)?.focus()
    return true
  }
  return (
    <div className="flex gap-2">
      {isFolded ? null : (
        <svg
          aria-hidden="true"
          width={8 * Math.max(...names.map((name) => name.length))}
          height={TOP + PLOT + 5}
          className="shrink-0"
        >
          {ticks.map((tick, index) => (
            <text key={tick} className={TEXT} x="100%" y={y(tick) + 4} textAnchor="end">
              {names[index]}
            </text>
          ))}
        </svg>
      )}
      <div className="min-w-0 flex-1">
        <svg
          ref={svg}
          {...GROUP}
          aria-label={`Billed per month and platform, ${rest.currency}. Move with the arrow keys.`}
          width="100%"
          height={bounds.top + bounds.height}
          className="block overflow-visible"
        >
          {(isFolded ? [0] : ticks).map((tick) => (
            <line
              key={tick}
              className={tick === 0 ? 'stroke-line-2' : 'stroke-line'}
              x1="0"
              x2="100%"
              y1={y(tick)}
              y2={y(tick)}
            />
          ))}
          {bars.map((bar, index) => (
            <BilledBar
              key={bar.month}
              {...rest}
              bar={bar}
              index={index}
              slots={slots}
              stop={stop}
              y={y}
              onFocus={onFocus}
              onArrow={onArrow}
              onPoint={onPoint}
              bounds={bounds}
            />
          ))}
        </svg>
        {isFolded ? null : <MonthNames bars={bars} slots={slots} />}
      </div>
    </div>
  )
}

function MonthNames({ bars, slots }: { bars: readonly MonthBar[]; slots: number }) {
  const months = bars.map(({ month }) => month)
  return (
    <svg aria-hidden="true" width="100%" height="36" className="block overflow-visible">
      {labelledMonths(months).map(({ month, withYear, onPhones }) => {
        const x = percent((months.indexOf(month) + 0.5) / slots)
        return (
          <text
            key={month}
            className={`${TEXT} ${onPhones ? '' : 'max-md:hidden'}`}
            y="17"
            textAnchor="middle"
          >
            <tspan x={x}>{monthName(month)}</tspan>
            {withYear ? (
              <tspan x={x} dy="15">
                {new Date(month).getUTCFullYear()}
              </tspan>
            ) : null}
          </text>
        )
      })}
    </svg>
  )
}

/** Where Tab comes in: where the focus was last, else the newest month. */
function stopOf(bars: readonly MonthBar[], last: Place | undefined): Place {
  const bar = bars.find(({ month }) => month === last?.month)
  const isThere =
    bar?.segments.some(({ platform }) => platform === last?.platform) || last?.platform === undefined
  return bar && last && isThere ? last : { month: bars.at(-1)?.month ?? 0 }
}
