import { lazy, Suspense } from 'react'
import { FilterMenu } from '#components/ui/filter-menu.tsx'
import { type AmountRange, amountsText } from './amount-range.ts'

// It comes when it is asked for; its place is kept.
const OwnAmounts = lazy(() =>
  import('#components/filter-forms/own-amounts.tsx').then(({ OwnAmounts }) => ({ default: OwnAmounts })),
)

/** From which amount to which. */
export function AmountFilter({
  label,
  hint,
  range,
  onChange,
}: {
  label: string
  /** Which amounts of a row are compared. */
  hint: string
  range: AmountRange
  onChange: (range: AmountRange) => void
}) {
  return (
    <FilterMenu
      label={label}
      off="any"
      value={amountsText(range)}
      onClear={() => onChange({})}
      className="w-74"
    >
      {(close) => (
        <Suspense fallback={<div className="h-48" />}>
          <OwnAmounts
            range={range}
            hint={hint}
            onChoose={(chosen) => {
              close()
              onChange(chosen)
            }}
          />
        </Suspense>
      )}
    </FilterMenu>
  )
}
