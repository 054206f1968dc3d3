import { Card } from '#components/ui/card.tsx'
import { DAY_MS, dayText } from '#lib/platform/values/days.ts'
import { LINES, type Lines, SeatDrawing } from './seat-drawing.tsx'
import { assignedSteps, type Known, purchasedSteps, type Span, type Step } from './seat-steps.ts'
import { SeatTable } from './seat-table.tsx'

type Given = { lines: Lines; known: Known; span: Span }

/** Purchased and assigned licenses over twelve months as step lines, and the same as a table. */
export function SeatPlot({ known, span }: { known: Known; span: Span }) {
  const lines = { purchased: purchasedSteps(known, span), assigned: assignedSteps(known, span) }
  const given = { lines, known, span }
  const drawn = { lines, now: known.now, span, label: summary(given) }
  const limits = limitsOf(given)
  return (
    <Card className="px-4 pt-3.5">
      <div className="mb-2 flex flex-wrap justify-between gap-x-4 gap-y-1">
        <h2 className="font-semibold">Licenses over twelve months</h2>
        <Legend {...known.now} hasLine={lines.assigned.length > 0} />
      </div>
      {/* Drawn for two widths, so that its words keep their size; the one that is hidden is not read out. */}
      <SeatDrawing {...drawn} width={720} height={200} everyMonth={1} className="max-md:hidden" />
      <SeatDrawing {...drawn} width={300} height={190} everyMonth={3} className="md:hidden" />
      {limits ? <p className="mt-1 text-xs text-ink-3">{limits}</p> : null}
      <SeatTable {...lines} />
    </Card>
  )
}

/** Names the marks beside the plot, where no line can run through the words. */
function Legend({ purchased, assigned, hasLine }: Known['now'] & { hasLine: boolean }) {
  return (
    <p className="flex flex-wrap gap-x-4 text-xs font-[550] tabular-nums">
      <span className="inline-flex items-center gap-1.5 text-accent">
        <Mark className={LINES.purchased} />
        {purchased.toLocaleString('en')} purchased
      </span>
      <span className="inline-flex items-center gap-1.5 text-ink-2">
        {hasLine ? <Mark className={LINES.assigned} /> : null}
        {assigned.toLocaleString('en')} assigned{hasLine ? '' : ' now'}
      </span>
    </p>
  )
}

function Mark({ className }: { className: string }) {
  return (
    <svg aria-hidden="true" viewBox="0 0 18 8" className="h-2 w-4.5">
      <path className={className} d="M0 4H18" />
    </svg>
  )
}

/** From when on something is known, where that is later than it could be. */
function limitsOf({ lines: { purchased, assigned }, known: { since }, span }: Given): string | undefined {
  const [first = span.to, read] = [purchased[0]?.at, assigned[0]?.at]
  const isLate = (at: number) => at > Math.max(since, span.from) + DAY_MS
  if (isLate(first)) return `Recorded since ${dayText(first)}: what was before is not known.`
  if (read === undefined) return 'How many were assigned is known for the present only.'
  return isLate(read) ? `How many were assigned is known since ${dayText(read)}.` : undefined
}

/** The plot in words. */
function summary({ lines: { purchased, assigned }, known: { now }, span }: Given): string {
  const parts = [
    `Purchased licenses, ${rangeText(purchased, span)}.`,
    assigned.length > 0
      ? `Assigned, ${rangeText(assigned, span)}.`
      : `${now.assigned.toLocaleString('en')} assigned now.`,
    'Both are in the table below.',
  ]
  return parts.join(' ')
}

function rangeText(steps: readonly Step[], span: Span): string {
  const seats = steps.map((step) => step.seats)
  const count = (value = 0) => value.toLocaleString('en')
  const days = `${dayText(steps[0]?.at ?? span.from)} to ${dayText(span.to)}`
  if (seats.length === 1) return `${days}: ${count(seats[0])} throughout`
  const [low, high] = [Math.min(...seats), Math.max(...seats)]
  return `${days}: from ${count(seats[0])} to ${count(seats.at(-1))}, lowest ${count(low)}, highest ${count(high)}`
}
