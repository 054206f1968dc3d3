import { FilterMenu } from '#components/ui/filter-menu.tsx'
import { lazyWithPreload } from '#components/ui/lazy-with-preload.tsx'
import { type AmountRange, amountsText } from './amount-range.ts'

const CustomAmounts = lazyWithPreload(
  () => import('./custom-amounts.tsx').then(({ CustomAmounts }) => CustomAmounts),
  () => <div className="h-48" />,
)

/** Filter for a range of amounts; a currency typed next to an amount is selected with it. */
export function AmountFilter({
  label,
  hint,
  range,
  currencies,
  onChange,
}: {
  label: string
  /** Explains which amounts of a row are compared. */
  hint: string
  range: AmountRange
  /** Currencies to choose from. */
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
          onChoose={(selected, currency) => {
            close()
            onChange(selected, currency)
          }}
        />
      )}
    </FilterMenu>
  )
}
