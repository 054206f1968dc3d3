import { type ReactNode, useState } from 'react'
import type { View } from '#components/invoices/view.ts'
import type { CurrencySummary } from '#lib/invoices/contract.ts'
import { barsOf, MOST_MONTHS, platformsOf } from './billed.ts'
import { BilledBars } from './billed-bars.tsx'
import { BilledTable } from './billed-table.tsx'
import { Legend } from './legend.tsx'

/** A plot of one currency, with its title, which folds it. */
export type Drawn = {
  of: CurrencySummary
  fold: ReactNode
  view: View
  onGo: (view: View) => void
}

/** The plot with all its months, as bars with their amounts, and to be read. */
export function BilledOpen({ of: { currency, months }, fold, id, ...rest }: Drawn & { id: string }) {
  const [pointed, setPointed] = useState<string>()
  const bars = barsOf(months)
  const isCut = (months[0]?.month ?? 0) < (bars[0]?.month ?? 0)
  const note = isCut
    ? `The last ${MOST_MONTHS} months; the table has all.`
    : 'Each bar leads to its invoices.'
  return (
    <>
      <div className="mb-3 flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        {fold}
        <Legend platforms={platformsOf(months)} />
      </div>
      <div id={id}>
        <BilledBars {...rest} bars={bars} currency={currency} onPoint={setPointed} isFolded={false} />
        <p className="min-h-8 content-center text-xs text-ink-3 tabular-nums print:hidden">
          {pointed ?? note}
        </p>
        <BilledTable {...rest} months={months} currency={currency} />
      </div>
    </>
  )
}
