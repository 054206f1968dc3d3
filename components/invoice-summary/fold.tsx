import { ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { ToggleChip } from '#components/ui/chip.tsx'
import type { CurrencySummary } from '#lib/invoices/contract.ts'

/** The plot's title, which opens and folds it. */
export function Fold({
  id,
  isOpen,
  onToggle,
  children,
}: {
  id: string
  isOpen: boolean
  onToggle: () => void
  children: ReactNode
}) {
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
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
      {children}
    </div>
  )
}

/** Whose plot it is, where there are several currencies. */
export function Currencies({
  currencies,
  shown,
  onChoose,
}: {
  currencies: readonly CurrencySummary[]
  shown: string
  onChoose: (currency: string) => void
}) {
  return (
    <>
      <fieldset className="flex flex-wrap gap-2 print:hidden">
        <legend className="sr-only">Currency</legend>
        {currencies.map(({ currency }) => (
          <ToggleChip key={currency} pressed={currency === shown} onToggle={() => onChoose(currency)}>
            {currency}
          </ToggleChip>
        ))}
      </fieldset>
      <span className="hidden text-xs text-ink-3 print:inline">{shown}</span>
    </>
  )
}
