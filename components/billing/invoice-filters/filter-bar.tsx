import type { ReactNode } from 'react'
import {
  hrefOf,
  isFiltered,
  rangeOf,
  statesOf,
  type View,
  withRange,
} from '#components/billing/invoices/view.ts'
import { dateFilter, type Filter, filtersOf } from '#components/lists/filters/filter.tsx'
import { FilterBar } from '#components/lists/filters/filter-bar.tsx'
import { amountFilter, textFilter } from '#components/lists/filters/typed-filters.tsx'
import { activeValues, changed, toggled, valuesOf, withValues } from '#components/lists/filters/view.ts'
import { PlatformIcon } from '#components/platform/values/platform-icon.tsx'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import { SelectOptions } from '#components/ui/select-menu.tsx'
import {
  DOCUMENT_KIND_NAMES,
  DOCUMENT_STATE_NAMES,
  type DocumentKind,
  type DocumentState,
  INVOICE_STATUS_NAMES,
  INVOICE_STATUSES,
} from '#lib/billing/invoices/rules.ts'
import { platformName } from '#lib/platform/values/platforms.ts'
import { type FilterChoices, profileName } from './choices.ts'
import { dueTexts } from './due-texts.ts'

/** Filters of invoices, and the list's tools. */
export function InvoiceFilters({
  view,
  choices,
  today,
  onChange,
  children,
}: {
  view: View
  choices: FilterChoices
  today: number
  onChange: (view: View, how?: 'push' | 'replace') => void
  children: ReactNode
}) {
  const by = filtersOf(view, onChange)
  return (
    <FilterBar
      view={view}
      isFiltered={isFiltered(view)}
      searchLabel="Number, order or issuer"
      chips={statusChips(view, onChange)}
      main={[
        dateFilter({
          label: 'Invoice date',
          range: rangeOf(view),
          today,
          onChange: (range) => onChange(withRange(view, range)),
        }),
      ]}
      filters={[
        by('billingProfile', {
          label: 'Billed to',
          several: 'billing profiles',
          options: choices.profiles.map(({ id }) => id),
          nameOf: (id) => escapeInvisible(profileName(choices, id)),
        }),
        by('issuer', {
          label: 'Issuer',
          several: 'issuers',
          options: choices.issuers,
          nameOf: escapeInvisible,
        }),
        by('platform', {
          label: 'Platform',
          several: 'platforms',
          options: choices.platforms,
          nameOf: platformName,
          renderOption: (slug) => <PlatformIcon slug={slug} />,
        }),
        by('currency', { label: 'Currency', several: 'currencies', options: choices.currencies }),
        amountFilter({
          label: 'Amount',
          hint: 'Totals: 500, or 500 EUR',
          range: { from: view.minAmount, to: view.maxAmount },
          currencies: choices.currencies,
          onChange: ({ from, to }, currency) =>
            onChange(
              changed(currency ? withValues(view, 'currency', [currency]) : view, {
                minAmount: from,
                maxAmount: to,
              }),
            ),
        }),
        textFilter({
          label: 'Product',
          hint: 'Part of a line item’s text',
          value: view.product,
          onChange: (product) => onChange(changed(view, { product })),
        }),
        stateFilter(view, onChange),
      ]}
      active={[...kindFilters(view), ...dueFilters(view)]}
      onChange={onChange}
    >
      {children}
    </FilterBar>
  )
}

/** Returns the kinds of documents without a chip, which only addresses select. */
function kindFilters(view: View) {
  const nameOf = (kind: string) => DOCUMENT_KIND_NAMES[kind as DocumentKind] ?? kind
  return activeValues(view, 'document', nameOf).filter(({ text }) => text !== DOCUMENT_KIND_NAMES[CREDIT])
}

/** Returns the due-date filter, which figures and other screens set. */
function dueFilters(view: View) {
  const texts = dueTexts(view)
  if (texts.length === 0) return []
  const without = changed(withValues(view, 'dueDate', []), { minDueDate: undefined, maxDueDate: undefined })
  return [{ text: texts.join('; '), without }]
}

const STATES = ['issued', 'draft', 'voided'] as const

/** Returns the filter of document states: issued invoices, the only ones that can be owed, or drafts and voided ones. */
function stateFilter(view: View, onChange: (view: View) => void): Filter {
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
  return {
    label: 'Documents',
    off: names,
    value: isUsual ? undefined : names,
    onClear: () => onChange(toOption('issued')),
    renderPanel: (close) => <SelectOptions options={options} onSelect={close} />,
  }
}

const CREDIT: DocumentKind = 'credit-note'

/**
 * Returns the status of issued invoices (drafts and voided ones have no status), and credit notes, which are not owed.
 * Only one of them can be selected at a time.
 */
function statusChips(view: View, onChange: (view: View) => void) {
  if (!statesOf(view).includes('issued')) return []
  const statuses = valuesOf(view, 'status')
  const kinds = valuesOf(view, 'document')
  const withoutKind = withValues(view, 'document', [])
  const chips = {
    legend: 'Status',
    isAll: statuses.length === 0 && kinds.length === 0,
    choices: [
      ...INVOICE_STATUSES.map((status) => ({
        value: status,
        name: INVOICE_STATUS_NAMES[status],
        selected: statuses.includes(status),
      })),
      { value: CREDIT, name: DOCUMENT_KIND_NAMES[CREDIT], selected: kinds.includes(CREDIT) },
    ],
    onAll: () => onChange(withValues(withoutKind, 'status', [])),
    onToggle: (value: string) =>
      onChange(
        value === CREDIT
          ? toggled(withValues(view, 'status', []), 'document', CREDIT)
          : toggled(withoutKind, 'status', value),
      ),
  }
  return [chips]
}
