import { Card } from '#components/ui/card.tsx'
import { DAY_MS, dayText } from '#lib/platform/values/days.ts'
import { LINES, type Lines, SeatChart } from './seat-chart.tsx'
import {
  assignedSteps,
  purchasedSteps,
  type SeatHistory,
  type SeatStep,
  type TimeSpan,
} from './seat-steps.ts'
import { SeatTable } from './seat-table.tsx'

type SeatLinesProps = { lines: Lines; history: SeatHistory; span: TimeSpan }

/** Purchased and assigned licenses over twelve months as step lines, and as a table. */
export function SeatPlot({ history, span }: { history: SeatHistory; span: TimeSpan }) {
  const lines = { purchased: purchasedSteps(history, span), assigned: assignedSteps(history, span) }
  const lineProps = { lines, history, span }
  const chartProps = { lines, now: history.now, span, label: summary(lineProps) }
  const limits = limitsOf(lineProps)
  return (
    <Card className="px-4 pt-3.5">
      <div className="mb-2 flex flex-wrap justify-between gap-x-4 gap-y-1">
        <h2 className="font-semibold">Licenses in the last 12 months</h2>
        <Legend {...history.now} hasLine={lines.assigned.length > 0} />
      </div>
      {/* Drawn for three widths, so that the text keeps its size; the hidden ones are not read out. */}
      <SeatChart {...chartProps} width={720} height={200} everyMonth={1} className="max-md:hidden" />
      <SeatChart
        {...chartProps}
        width={560}
        height={190}
        everyMonth={2}
        className="max-[30rem]:hidden md:hidden"
      />
      <SeatChart {...chartProps} width={300} height={190} everyMonth={3} className="min-[30rem]:hidden" />
      {limits ? <p className="mt-1 text-xs text-ink-3">{limits}</p> : null}
      <SeatTable {...lines} />
    </Card>
  )
}

/** Legend next to the plot, where no line can run through the text. */
function Legend({ purchased, assigned, hasLine }: SeatHistory['now'] & { hasLine: boolean }) {
  return (
    <p className="flex flex-wrap gap-x-4 text-xs font-[550] tabular-nums">
      <span className="inline-flex items-center gap-1.5 text-accent">
        <LegendMarker className={LINES.purchased} />
        {purchased.toLocaleString('en')} purchased
      </span>
      <span className="inline-flex items-center gap-1.5 text-ink-2">
        {hasLine ? <LegendMarker className={LINES.assigned} /> : null}
        {assigned.toLocaleString('en')} assigned{hasLine ? '' : ' now'}
      </span>
    </p>
  )
}

function LegendMarker({ className }: { className: string }) {
  return (
    <svg aria-hidden="true" viewBox="0 0 18 8" className="h-2 w-4.5">
      <path className={className} d="M0 4H18" />
    </svg>
  )
}

/** Returns the start of the known data, where it is later than the span's. */
function limitsOf({
  lines: { purchased, assigned },
  history: { since },
  span,
}: SeatLinesProps): string | undefined {
  const [first = span.to, read] = [purchased[0]?.at, assigned[0]?.at]
  const isAfterStart = (at: number) => at > Math.max(since, span.from) + DAY_MS
  if (isAfterStart(first)) return `Recorded since ${dayText(first)}. Earlier data is not available.`
  if (read === undefined) return 'No history of assigned licenses yet.'
  return isAfterStart(read) ? `Assigned licenses recorded since ${dayText(read)}.` : undefined
}

/** Returns a text alternative of the plot. */
function summary({ lines: { purchased, assigned }, history: { now }, span }: SeatLinesProps): string {
  const parts = [
    `Purchased licenses, ${rangeText(purchased, span)}.`,
    assigned.length > 0
      ? `Assigned, ${rangeText(assigned, span)}.`
      : `${now.assigned.toLocaleString('en')} assigned now.`,
    'Both are in the table below.',
  ]
  return parts.join(' ')
}

function rangeText(steps: readonly SeatStep[], span: TimeSpan): string {
  const seats = steps.map((step) => step.seats)
  const count = (value = 0) => value.toLocaleString('en')
  const days = `${dayText(steps[0]?.at ?? span.from)} to ${dayText(span.to)}`
  if (seats.length === 1) return `${days}: ${count(seats[0])} throughout`
  const [low, high] = [Math.min(...seats), Math.max(...seats)]
  return `${days}: from ${count(seats[0])} to ${count(seats.at(-1))}, lowest ${count(low)}, highest ${count(high)}`
}
