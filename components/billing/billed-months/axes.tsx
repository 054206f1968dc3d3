import { monthName } from '#lib/platform/values/days.ts'
import type { MonthBar } from './months.ts'
import { percent, type Scale } from './scale.ts'

const TEXT = 'fill-ink-3 text-xs tabular-nums'

/** Amounts of the grid lines, to the right or left of the bars. */
export function AmountNames({ ticks, scale }: { ticks: readonly number[]; scale: Scale }) {
  const names = ticks.map(compactText)
  return (
    <svg
      aria-hidden="true"
      width={8 * Math.max(...names.map((name) => name.length))}
      height={scale.top + scale.height + 5}
      className="shrink-0"
    >
      {ticks.map((tick, index) => (
        <text key={tick} className={TEXT} x="100%" y={scale.y(tick) + 4} textAnchor="end">
          {names[index]}
        </text>
      ))}
    </svg>
  )
}

/** Names of the months below the bars, as many as fit. */
export function MonthNames({ bars, scale }: { bars: readonly MonthBar[]; scale: Scale }) {
  const months = bars.map(({ month }) => month)
  return (
    <svg aria-hidden="true" width="100%" height="36" className="block overflow-visible">
      {labelledMonths(months).map(({ month, withYear, onPhones }) => {
        const x = percent((months.indexOf(month) + 0.5) / scale.slots)
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

const UNITS = [
  [1e12, 'T'],
  [1e9, 'B'],
  [1e6, 'M'],
  [1e3, 'k'],
] as const

/** Returns the amount of a tick in short form: `1.5M`, `−40k`, `0.25`. */
export function compactText(amount: number): string {
  const size = Math.abs(amount)
  const [factor, unit] = UNITS.find(([least]) => size >= least) ?? [1, '']
  const text = (size / factor).toLocaleString('en', { maximumFractionDigits: 9 })
  return `${amount < 0 ? '−' : ''}${text}${unit}`
}

export type MonthLabel = { month: number; withYear: boolean; onPhones: boolean }

/** Returns the months whose names fit, on wide screens and on phones. January is always included. */
export function labelledMonths(months: readonly number[]): MonthLabel[] {
  const [wide, narrow] = [stepFor(months.length, 18), stepFor(months.length, 6)]
  const labelled = months.filter((month) => number(month) % wide === 0)
  const years = labelled.filter((month) => number(month) % 12 === 0)
  return labelled.map((month) => ({
    month,
    withYear: years.length > 0 ? years.includes(month) : month === labelled[0],
    onPhones: number(month) % narrow === 0,
  }))
}

function stepFor(count: number, room: number): number {
  return [1, 3, 6, 12].find((step) => count / step <= room) ?? 12
}

function number(month: number): number {
  return new Date(month).getUTCMonth()
}
