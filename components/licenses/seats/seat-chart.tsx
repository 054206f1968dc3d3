import { ticksBetween } from '#components/ui/ticks.ts'
import { monthName } from '#lib/platform/values/days.ts'
import { monthsIn, type SeatStep, type TimeSpan } from './seat-steps.ts'

const TEXT = 'fill-ink-3 text-xs tabular-nums'
const TOP = 10
const BOTTOM = 28

/** Styles of the two lines, for the plot and the legend. */
export const LINES = {
  purchased: 'fill-none stroke-accent stroke-2',
  assigned: 'fill-none stroke-ink-2 [stroke-width:1.5] [stroke-dasharray:5_3]',
}

/** Step lines, oldest step first; `assigned` is empty where it was never read. */
export type Lines = { purchased: readonly SeatStep[]; assigned: readonly SeatStep[] }

type SeatChartProps = {
  lines: Lines
  now: { purchased: number; assigned: number }
  span: TimeSpan
  label: string
}
type Size = { width: number; height: number; everyMonth: number; className: string }

/** Both lines over a span, the idle licenses as the area between them, and a mark at the present ends. */
export function SeatChart({
  lines,
  now,
  span,
  label,
  width,
  height,
  everyMonth,
  className,
}: SeatChartProps & Size) {
  const { purchased, assigned } = lines
  const all = [now.assigned, ...purchased.map(({ seats }) => seats), ...assigned.map(({ seats }) => seats)]
  // From zero: the area is the share of unassigned licenses.
  const ticks = ticksBetween(0, Math.max(...all), 1)
  const [low = 0, high = 1] = [ticks[0], ticks.at(-1)]
  const left = 14 + 7 * high.toLocaleString('en').length
  const right = width - 8
  const x = (at: number) => round(left + ((at - span.from) / (span.to - span.from)) * (right - left))
  const y = (seats: number) => round(TOP + ((high - seats) / (high - low)) * (height - TOP - BOTTOM))
  const corners = (steps: readonly SeatStep[]) =>
    steps.flatMap(({ at, seats }, index) => {
      const end = steps[index + 1]?.at ?? span.to
      return [`${x(at)} ${y(seats)}`, `${x(end)} ${y(seats)}`]
    })
  const line = (steps: readonly SeatStep[]) => `M${corners(steps).join('L')}`
  const idle = [...corners(since(purchased, assigned[0]?.at)), ...corners(assigned).reverse()]
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${width} ${height}`}
      className={`block w-full ${className}`}
    >
      {assigned.length > 0 ? <path className="fill-idle/12" d={`M${idle.join('L')}Z`} /> : null}
      {ticks.map((tick) => (
        <g key={tick}>
          <line className="stroke-line" x1={left} x2={right} y1={y(tick)} y2={y(tick)} />
          <text className={TEXT} x={left - 8} y={y(tick) + 4} textAnchor="end">
            {tick.toLocaleString('en')}
          </text>
        </g>
      ))}
      {monthsIn(span)
        .filter((_, index) => index % everyMonth === 0)
        .map((month) => (
          <text key={month} className={TEXT} x={Math.min(x(month), right - 24)} y={height - 6}>
            {monthName(month)}
          </text>
        ))}
      {assigned.length > 0 ? <path className={LINES.assigned} d={line(assigned)} /> : null}
      <path className={LINES.purchased} d={line(purchased)} />
      <circle className="fill-ink-2" cx={right} cy={y(now.assigned)} r="3" />
      <circle className="fill-accent" cx={right} cy={y(now.purchased)} r="3" />
    </svg>
  )
}

/** Returns the part of a step line after a time. */
function since(steps: readonly SeatStep[], time: number | undefined): SeatStep[] {
  if (time === undefined) return []
  const step = steps.findLast(({ at }) => at <= time)
  return [...(step ? [{ at: time, seats: step.seats }] : []), ...steps.filter(({ at }) => at > time)]
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
