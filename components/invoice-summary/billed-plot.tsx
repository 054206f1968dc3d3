import { lazy, Suspense, useId, useState } from 'react'
import type { View } from '#components/invoices/view.ts'
import type { CurrencySummary } from '#lib/invoices/contract.ts'
import { barsOf, FOLDED_MONTHS } from './billed.ts'
import { BilledBars } from './billed-bars.tsx'
import type { Drawn } from './billed-open.tsx'
import { Currencies, Fold } from './fold.tsx'

// It comes when it is asked for.
const BilledOpen = lazy(() => import('./billed-open.tsx').then(({ BilledOpen }) => ({ default: BilledOpen })))

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
  const fold = (
    <Fold id={id} isOpen={isOpen} onToggle={() => setIsOpen(!isOpen)}>
      {currencies.length > 1 && isOpen ? (
        <Currencies currencies={currencies} shown={shown.currency} onChoose={setWanted} />
      ) : (
        <span className="text-xs text-ink-3">{shown.currency}</span>
      )}
    </Fold>
  )
  return (
    <section
      aria-label="Billed per month"
      className={`@container border-t border-line px-4 ${isOpen ? 'pt-2' : 'py-1.5'}`}
    >
      {isOpen ? (
        <Suspense fallback={<Folded {...rest} of={shown} fold={fold} />}>
          <BilledOpen {...rest} id={id} of={shown} fold={fold} />
        </Suspense>
      ) : (
        <Folded {...rest} of={shown} fold={fold} />
      )}
    </section>
  )
}

function Folded({ of: { currency, months }, fold, ...rest }: Drawn) {
  const [pointed, setPointed] = useState<string>()
  return (
    <div className="flex items-center gap-x-4">
      {fold}
      <div className="min-w-0 flex-1 @max-phone:hidden">
        <BilledBars
          {...rest}
          bars={barsOf(months).slice(-FOLDED_MONTHS)}
          currency={currency}
          onPoint={setPointed}
          isFolded
        />
      </div>
      <p className="w-64 text-xs text-ink-3 tabular-nums @max-fig:hidden print:hidden">
        {pointed ?? 'The last 12 months. Each bar leads to its invoices.'}
      </p>
    </div>
  )
}
