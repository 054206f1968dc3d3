import { lazy, Suspense } from 'react'
import { FilterMenu } from '#components/ui/filter-menu.tsx'
import { type AmountRange, amountsText } from './amount-range.ts'

// It comes when somebody is about to ask for it; its place is kept.
const ahead = () => import('#components/filter-forms/own-amounts.tsx')
const OwnAmounts = lazy(() => ahead().then(({ OwnAmounts }) => ({ default: OwnAmounts })))

/** From which amount to which; a currency that is written beside one is chosen with it. */
export function AmountFilter({
  label,
  hint,
  range,
  currencies,
  onChange,
}: {
  label: string
  /** Which amounts of a row are compared. */
  hint: string
  range: AmountRange
  /** Those that there are. */
  currencies: readonly string[]
  onChange: (range: AmountRange, currency?: string) => void
}) {
  return (
    <FilterMenu
      label={label}
      off="any"
      value={amountsText(range)}
      onClear={() => onChange({})}
      className="w-74"
      ahead={ahead}
    >
      {(close) => (
        <Suspense fallback={<div className="h-48" />}>
          <OwnAmounts
            range={range}
            hint={hint}
            currencies={currencies}
            onChoose={(chosen, currency) => {
              close()
              onChange(chosen, currency)
            }}
          />
        </Suspense>
      )}
    </FilterMenu>
  )
}
