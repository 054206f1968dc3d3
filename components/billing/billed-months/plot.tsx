import { ChevronRight } from 'lucide-react'
import { useId, useState } from 'react'
import type { View } from '#components/billing/invoices/view.ts'
import { lazyWithPreload } from '#components/ui/lazy-with-preload.tsx'
import type { CurrencySummary } from '#lib/billing/invoices/contract.ts'
import { BilledBars } from './bars.tsx'
import { barsOf, COLLAPSED_MONTHS } from './months.ts'
import type { BilledChartProps } from './open.tsx'
import { endsOf, scaleOf } from './scale.ts'

const BilledOpen = lazyWithPreload(
  () => import('./open.tsx').then(({ BilledOpen }) => BilledOpen),
  CollapsedChart,
)

/** Layout when collapsed to a line, without room for amounts and months: these appear for the bar under the pointer. */
const LINE = { top: 1, height: 34 }

type BilledPlotProps = {
  currencies: readonly CurrencySummary[]
  view: View
  onNavigate: (view: View) => void
}

/**
 * Amounts billed per month and platform, one currency at a time. Collapsed: a line with the bars of twelve months.
 * Expanded: all months, as bars with their amounts and as a table.
 */
export function BilledPlot({ currencies, ...rest }: BilledPlotProps) {
  const id = useId()
  const [selected, setSelected] = useState('')
  const [isOpen, setIsOpen] = useState(false)
  const summary = currencies.find(({ currency }) => currency === selected) ?? currencies[0]
  if (!summary) return null
  const toggle = <ChartToggle id={id} isOpen={isOpen} onToggle={() => setIsOpen(!isOpen)} />
  const chartProps = { ...rest, id, summary, toggle, currencies, onChoose: setSelected }
  return (
    <section
      aria-label="Billed per month"
      className={`@container border-t border-line px-4 ${isOpen ? 'pt-2' : 'py-1.5'}`}
    >
      {isOpen ? <BilledOpen {...chartProps} /> : <CollapsedChart {...chartProps} />}
    </section>
  )
}

function CollapsedChart({ id, summary: { currency, months }, toggle, view, onNavigate }: BilledChartProps) {
  const [pointed, setPointed] = useState<string>()
  const bars = barsOf(months).slice(-COLLAPSED_MONTHS)
  const [begin, end] = endsOf(bars)
  return (
    <div id={id} className="flex items-center gap-x-4">
      <div className="flex items-center gap-x-3">
        {toggle}
        <span className="text-xs text-ink-3">{currency}</span>
      </div>
      <div className="min-w-0 flex-1 @max-phone:hidden">
        <BilledBars
          view={view}
          onNavigate={onNavigate}
          bars={bars}
          currency={currency}
          scale={scaleOf(bars, [begin, end || 1], LINE)}
          lines={[0]}
          onHover={setPointed}
        />
      </div>
      <p className="w-64 text-xs text-ink-3 tabular-nums @max-fig:hidden print:hidden">
        {pointed ?? 'The last 12 months. Select a bar to see its invoices.'}
      </p>
    </div>
  )
}

/** Title of the plot, a button that expands and collapses it. */
function ChartToggle({ id, isOpen, onToggle }: { id: string; isOpen: boolean; onToggle: () => void }) {
  return (
    <h2>
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={onToggle}
        className="-ml-1.5 inline-flex items-center gap-1.5 rounded-sm px-1 py-1.5 font-semibold hover:underline"
      >
        <ChevronRight
          aria-hidden="true"
          className={`size-4 text-ink-3 transition-transform duration-120 motion-reduce:transition-none ${isOpen ? 'rotate-90' : ''}`}
        />
        Billed per month
      </button>
      <span className="hidden print:inline">Billed per month</span>
    </h2>
  )
}
