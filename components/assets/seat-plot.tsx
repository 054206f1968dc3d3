import { dayText, monthName } from '#components/dates/day.tsx'
import { Card } from '#components/ui/card.tsx'
import { monthsIn, type Span, type Step, ticksBetween } from './seat-steps.ts'

const TEXT = 'fill-ink-3 text-xs tabular-nums'
const TOP = 10
const BOTTOM = 28

type Given = { steps: readonly Step[]; assigned: number; span: Span }

/** Purchased licenses over twelve months as a step line, and how many are assigned now. */
export function SeatPlot(given: Given) {
  return (
    <Card className="px-4 pt-3.5 pb-2">
      <div className="mb-2 flex flex-wrap justify-between gap-x-4 gap-y-1">
        <h2 className="font-semibold">Licenses over twelve months</h2>
        <Legend purchased={given.steps.at(-1)?.seats ?? 0} assigned={given.assigned} />
      </div>
      {/* Drawn for two widths, so that its words keep their size; the one that is hidden is not read out. */}
      <Drawing {...given} width={720} height={200} everyMonth={1} className="max-md:hidden" />
      <Drawing {...given} width={300} height={190} everyMonth={3} className="md:hidden" />
    </Card>
  )
}

type Size = { width: number; height: number; everyMonth: number; className: string }

function Drawing({ steps, assigned, span, width, height, everyMonth, className }: Given & Size) {
  const all = [assigned, ...steps.map(({ seats }) => seats)]
  const ticks = ticksBetween(Math.min(...all), Math.max(...all))
  const [low = 0, high = 1] = [ticks[0], ticks.at(-1)]
  const left = 14 + 7 * high.toLocaleString('en').length
  const right = width - 8
  const x = (at: number) => round(left + ((at - span.from) / (span.to - span.from)) * (right - left))
  const y = (seats: number) => round(TOP + ((high - seats) / (high - low)) * (height - TOP - BOTTOM))
  const line = steps.map(({ at, seats }, index) =>
    index === 0 ? `M${x(at)} ${y(seats)}` : `H${x(at)}V${y(seats)}`,
  )
  return (
    <svg
      role="img"
      aria-label={summary({ steps, assigned, span })}
      viewBox={`0 0 ${width} ${height}`}
      className={`block w-full ${className}`}
    >
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
      <path className="fill-none stroke-accent stroke-2" d={`${line.join('')}H${right}`} />
      <circle className="fill-ink-2" cx={right} cy={y(assigned)} r="4" />
    </svg>
  )
}

/** Names the marks beside the plot, where no line can run through the words. */
function Legend({ purchased, assigned }: { purchased: number; assigned: number }) {
  return (
    <p className="flex flex-wrap gap-x-4 text-xs font-[550] tabular-nums">
      <span className="inline-flex items-center gap-1.5 text-accent">
        <svg aria-hidden="true" viewBox="0 0 14 8" className="h-2 w-3.5">
          <path className="fill-none stroke-accent stroke-2" d="M0 4H14" />
        </svg>
        {purchased.toLocaleString('en')} purchased
      </span>
      <span className="inline-flex items-center gap-1.5 text-ink-2">
        <svg aria-hidden="true" viewBox="0 0 8 8" className="size-2">
          <circle className="fill-ink-2" cx="4" cy="4" r="4" />
        </svg>
        {assigned.toLocaleString('en')} assigned now
      </span>
    </p>
  )
}

/** The plot in words; each change stands in the table below it. */
function summary({ steps, assigned, span }: Given): string {
  const seats = steps.map((step) => step.seats)
  const [first = 0, now = 0] = [seats[0], seats.at(-1)]
  const count = (value: number) => value.toLocaleString('en')
  const range =
    steps.length === 1
      ? `${count(now)} throughout`
      : `from ${count(first)} to ${count(now)}, lowest ${count(Math.min(...seats))}, highest ${count(Math.max(...seats))}`
  const days = `${dayText(steps[0]?.at ?? span.from)} to ${dayText(span.to)}`
  return `Purchased licenses, ${days}: ${range}. ${count(assigned)} assigned now. The changes are in the table below.`
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
