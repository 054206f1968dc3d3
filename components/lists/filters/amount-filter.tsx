import { FilterMenu } from '#components/ui/filter-menu.tsx'
import { lazyWithPreload } from '#components/ui/lazy-with-preload.tsx'
import { type AmountRange, amountsText } from './amount-range.ts'

const CustomAmounts = lazyWithPreload(
  () => import('./custom-amounts.tsx').then(({ CustomAmounts }) => CustomAmounts),
  () => <div className="h-48" />,
)

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
      preload={CustomAmounts.preload}
    >
      {(close) => (
        <CustomAmounts
          range={range}
          hint={hint}
          currencies={currencies}
          onChoose={(chosen, currency) => {
            close()
            onChange(chosen, currency)
          }}
        />
      )}
    </FilterMenu>
  )
}
