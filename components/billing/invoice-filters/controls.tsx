import { rangeOf, type View, withRange } from '#components/billing/invoices/view.ts'
import { AmountFilter } from '#components/lists/filters/amount-filter.tsx'
import { DateFilterMenu } from '#components/lists/filters/date-filter.tsx'
import { KindFilter } from '#components/lists/filters/kind-filter.tsx'
import { TextFilter } from '#components/lists/filters/text-filter.tsx'
import { changed, type FilterKey, toggled, valuesOf, withValues } from '#components/lists/filters/view.ts'
import { PlatformMark } from '#components/platform/values/platform-mark.tsx'
import { visible } from '#components/ui/visible.ts'
import type { Invoice } from '#lib/billing/invoices/contract.ts'
import { platformName } from '#lib/billing/invoices/rules.ts'
import { type FilterChoices, profileName } from './choices.ts'
import { DueFilter } from './due-filter.tsx'
import { StateFilter } from './state-filter.tsx'

export type Given = {
  view: View
  choices: FilterChoices
  /** Those in sight: their platforms can be chosen too. */
  rows: readonly Invoice[]
  today: number
  onChange: (view: View, how?: 'push' | 'replace') => void
}

/** Dates, who is billed and by whom, platforms, currencies, amounts, products and documents; each kind only where there are several. */
export function Controls({ view, choices, rows, today, onChange }: Given) {
  const by = (key: FilterKey<View>) => ({
    chosen: valuesOf(view, key),
    onToggle: (value: string) => onChange(toggled(view, key, value)),
    onClear: () => onChange(withValues(view, key, [])),
  })
  return (
    <>
      <DateFilterMenu
        label="Invoice date"
        range={rangeOf(view)}
        today={today}
        onChange={(range) => onChange(withRange(view, range))}
      />
      <KindFilter
        {...by('billingProfile')}
        label="Billed to"
        several="billing profiles"
        known={choices.profiles.map(({ id }) => id)}
        nameOf={(id) => visible(profileName(choices, id))}
      />
      <KindFilter
        {...by('issuer')}
        label="Issuer"
        several="issuers"
        known={choices.issuers}
        nameOf={visible}
      />
      <KindFilter
        {...by('platform')}
        label="Platform"
        several="platforms"
        known={choices.platforms}
        rows={rows.map(({ platform }) => platform)}
        nameOf={platformName}
        lookOf={(slug) => <PlatformMark slug={slug} />}
      />
      <KindFilter {...by('currency')} label="Currency" several="currencies" known={choices.currencies} />
      <AmountFilter
        label="Amount"
        hint="Totals: 500, or 500 EUR"
        range={{ from: view.minAmount, to: view.maxAmount }}
        currencies={choices.currencies}
        onChange={({ from, to }, currency) =>
          onChange(
            changed(currency ? withValues(view, 'currency', [currency]) : view, {
              minAmount: from,
              maxAmount: to,
            }),
          )
        }
      />
      <TextFilter
        label="Product"
        hint="Part of what a line item says"
        value={view.product}
        onChange={(product) => onChange(changed(view, { product }))}
      />
      <StateFilter view={view} onChange={onChange} />
      <DueFilter view={view} onChange={onChange} />
    </>
  )
}
