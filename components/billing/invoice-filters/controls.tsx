import { hrefOf, rangeOf, statesOf, type View, withRange } from '#components/billing/invoices/view.ts'
import { AmountFilter } from '#components/lists/filters/amount-filter.tsx'
import { DateFilterMenu } from '#components/lists/filters/date-filter.tsx'
import { KindFilter } from '#components/lists/filters/kind-filter.tsx'
import { TextFilter } from '#components/lists/filters/text-filter.tsx'
import { changed, type FilterKey, toggled, valuesOf, withValues } from '#components/lists/filters/view.ts'
import { PlatformIcon } from '#components/platform/values/platform-icon.tsx'
import { RemovableChip } from '#components/ui/chip.tsx'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import { FilterMenu } from '#components/ui/filter-menu.tsx'
import { SelectOptions } from '#components/ui/select-menu.tsx'
import type { Invoice } from '#lib/billing/invoices/contract.ts'
import { DOCUMENT_STATE_NAMES, type DocumentState } from '#lib/billing/invoices/rules.ts'
import { platformName } from '#lib/platform/values/platforms.ts'
import { type FilterChoices, profileName } from './choices.ts'
import { dueTexts } from './describe.ts'

export type FilterControlsProps = {
  view: View
  choices: FilterChoices
  /** Visible rows: their platforms can be chosen too. */
  rows: readonly Invoice[]
  today: number
  onChange: (view: View, how?: 'push' | 'replace') => void
}

/**
 * Filters for dates, recipients, issuers, platforms, currencies, amounts, products and documents; each only with
 * several values.
 */
export function Controls({ view, choices, rows, today, onChange }: FilterControlsProps) {
  const by = (key: FilterKey<View>) => ({
    selected: valuesOf(view, key),
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
        options={choices.profiles.map(({ id }) => id)}
        nameOf={(id) => escapeInvisible(profileName(choices, id))}
      />
      <KindFilter
        {...by('issuer')}
        label="Issuer"
        several="issuers"
        options={choices.issuers}
        nameOf={escapeInvisible}
      />
      <KindFilter
        {...by('platform')}
        label="Platform"
        several="platforms"
        options={choices.platforms}
        rows={rows.map(({ platform }) => platform)}
        nameOf={platformName}
        renderOption={(slug) => <PlatformIcon slug={slug} />}
      />
      <KindFilter {...by('currency')} label="Currency" several="currencies" options={choices.currencies} />
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

/** Shows the due-date filter, which statistic cards and other screens set: it has no control of its own, but can be removed. */
function DueFilter({ view, onChange }: { view: View; onChange: (view: View) => void }) {
  const texts = dueTexts(view)
  if (texts.length === 0) return null
  const without = changed(withValues(view, 'dueDate', []), { minDueDate: undefined, maxDueDate: undefined })
  const text = texts.join('; ')
  return (
    <RemovableChip label={text} onRemove={() => onChange(without)}>
      <span className="max-w-[calc(100vw-5.5rem)] truncate tabular-nums">{text}</span>
    </RemovableChip>
  )
}

const STATES = ['issued', 'draft', 'voided'] as const

/** Selects the document states: issued invoices, the only ones that can be owed, or drafts and voided ones. */
function StateFilter({ view, onChange }: { view: View; onChange: (view: View) => void }) {
  const states = statesOf(view)
  const isUsual = states.length === 1 && states[0] === 'issued'
  const toOption = (state: DocumentState) => {
    // The default state is not part of the address, and only issued invoices have a status.
    if (state === 'issued') return withValues(view, 'state', [])
    return withValues(withValues(withValues(view, 'status', []), 'document', []), 'state', [state])
  }
  const options = STATES.map((state) => ({
    name: DOCUMENT_STATE_NAMES[state],
    href: hrefOf(toOption(state)),
    selected: states.length === 1 && states[0] === state,
    onNavigate: () => onChange(toOption(state)),
  }))
  const names = states.map((state) => DOCUMENT_STATE_NAMES[state]).join(', ')
  return (
    <FilterMenu
      label="Documents"
      off={names}
      value={isUsual ? undefined : names}
      onClear={() => onChange(toOption('issued'))}
    >
      {(close) => <SelectOptions options={options} onSelect={close} />}
    </FilterMenu>
  )
}
