import { ToggleChip } from '#components/ui/chip.tsx'
import type { CurrencySummary } from '#lib/billing/invoices/contract.ts'

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
