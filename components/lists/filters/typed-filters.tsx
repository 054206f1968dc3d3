import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import { lazyWithPreload } from '#components/ui/lazy-with-preload.tsx'
import { type AmountRange, amountsText } from './amount-range.ts'
import type { Filter } from './filter.tsx'

// Apart from the other filters, because most lists have neither of these two.

const load = () => import('./filter-panels.tsx')
const Amounts = lazyWithPreload(
  () => load().then((part) => part.Amounts),
  () => <div className="h-48" />,
)
const TypedText = lazyWithPreload(
  () => load().then((part) => part.TypedText),
  () => <div className="h-36" />,
)

/** Returns a filter for a range of amounts; a currency typed next to an amount is selected with it. */
export function amountFilter({
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
}): Filter {
  return {
    label,
    off: 'any',
    value: amountsText(range),
    isWide: true,
    preload: Amounts.preload,
    onClear: () => onChange({}),
    renderPanel: (close) => (
      <Amounts
        range={range}
        hint={hint}
        currencies={currencies}
        onChoose={(selected, currency) => {
          close()
          onChange(selected, currency)
        }}
      />
    ),
  }
}

/** Returns a filter by a text in the rows. `hint` names the searched fields. */
export function textFilter({
  label,
  hint,
  value,
  onChange,
}: {
  label: string
  hint: string
  value: string | undefined
  onChange: (value: string | undefined) => void
}): Filter {
  return {
    label,
    off: 'any',
    value: value && escapeInvisible(value),
    isWide: true,
    preload: TypedText.preload,
    onClear: () => onChange(undefined),
    renderPanel: (close) => (
      <TypedText
        label={label}
        hint={hint}
        value={value}
        onChoose={(selected) => {
          close()
          onChange(selected)
        }}
      />
    ),
  }
}
