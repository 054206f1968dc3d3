import { monthName } from '#lib/platform/values/days.ts'
import { compactText, labelledMonths } from './labels.ts'
import type { MonthBar } from './months.ts'
import { percent, type Scale } from './scale.ts'

const TEXT = 'fill-ink-3 text-xs tabular-nums'

/** Beside the bars: the amounts of its lines. */
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

/** Below the bars: the months, as many as there is room for. */
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
