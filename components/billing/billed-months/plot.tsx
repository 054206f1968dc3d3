import { ChevronRight } from 'lucide-react'
import { useId, useState } from 'react'
import type { View } from '#components/billing/invoices/view.ts'
import { later } from '#components/ui/later.tsx'
import type { CurrencySummary } from '#lib/billing/invoices/contract.ts'
import { BilledBars } from './bars.tsx'
import { barsOf, FOLDED_MONTHS } from './months.ts'
import type { Drawn } from './open.tsx'
import { endsOf, scaleOf } from './scale.ts'

const BilledOpen = later(() => import('./open.tsx').then(({ BilledOpen }) => BilledOpen), Folded)

/** Folded into a line, in which there is no room for amounts and months: those are told of what is pointed at. */
const LINE = { top: 1, height: 34 }

type Given = {
  currencies: readonly CurrencySummary[]
  view: View
  onGo: (view: View) => void
}

/**
 * What was billed per month and platform, of one currency at a time. Folded it is a line with the bars of twelve months;
 * opened it has all months, as bars with their amounts, and to be read.
 */
export function BilledPlot({ currencies, ...rest }: Given) {
  const id = useId()
  const [wanted, setWanted] = useState('')
  const [isOpen, setIsOpen] = useState(false)
  const shown = currencies.find(({ currency }) => currency === wanted) ?? currencies[0]
  if (!shown) return null
  const fold = <Fold id={id} isOpen={isOpen} onToggle={() => setIsOpen(!isOpen)} />
  const drawn = { ...rest, id, of: shown, fold, currencies, onChoose: setWanted }
  return (
    <section
      aria-label="Billed per month"
      className={`@container border-t border-line px-4 ${isOpen ? 'pt-2' : 'py-1.5'}`}
    >
      {isOpen ? <BilledOpen {...drawn} /> : <Folded {...drawn} />}
    </section>
  )
}

function Folded({ id, of: { currency, months }, fold, view, onGo }: Drawn) {
  const [pointed, setPointed] = useState<string>()
  const bars = barsOf(months).slice(-FOLDED_MONTHS)
  const [begin, end] = endsOf(bars)
  return (
    <div id={id} className="flex items-center gap-x-4">
      <div className="flex items-center gap-x-3">
        {fold}
        <span className="text-xs text-ink-3">{currency}</span>
      </div>
      <div className="min-w-0 flex-1 @max-phone:hidden">
        <BilledBars
          view={view}
          onGo={onGo}
          bars={bars}
          currency={currency}
          scale={scaleOf(bars, [begin, end || 1], LINE)}
          lines={[0]}
          onPoint={setPointed}
        />
      </div>
      <p className="w-64 text-xs text-ink-3 tabular-nums @max-fig:hidden print:hidden">
        {pointed ?? 'The last 12 months. Each bar leads to its invoices.'}
      </p>
    </div>
  )
}

/** The plot's title, which opens and folds it. */
function Fold({ id, isOpen, onToggle }: { id: string; isOpen: boolean; onToggle: () => void }) {
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
