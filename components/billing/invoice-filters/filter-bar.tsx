import { ListFilter } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { sortOptions } from '#components/billing/invoices/sort.ts'
import { isFiltered, statesOf, type View } from '#components/billing/invoices/view.ts'
import { ChoiceChips } from '#components/lists/filters/choice-chips.tsx'
import { changed, cleared, toggled, valuesOf, withValues } from '#components/lists/filters/view.ts'
import { ViewMenu } from '#components/lists/views/view-menu.tsx'
import { ClearAll } from '#components/ui/clear-all.tsx'
import { FILTER_BUTTON } from '#components/ui/filter-button.ts'
import { SearchInput } from '#components/ui/search-input.tsx'
import { SortMenu } from '#components/ui/sort-menu.tsx'
import { type DocumentKind, INVOICE_STATUS_NAMES, INVOICE_STATUSES } from '#lib/billing/invoices/rules.ts'
import { Controls, type FilterControlsProps } from './controls.tsx'
import { describeFilters } from './describe.ts'

// On phones inactive filters are behind a button; active ones stay visible.
const COLLAPSED_CLASS = 'max-md:not-data-open:[&_[data-off]]:hidden'

/** Filters of the figures and the rows below: each filter is set, shown and removed in one place. */
export function FilterBar(props: FilterControlsProps & { children?: ReactNode }) {
  const { view, onChange } = props
  const [isOpen, setIsOpen] = useState(false)
  const descriptions = describeFilters(view, props.choices)
  return (
    <search aria-label="Filters" className="mb-3.5 block">
      <div
        data-open={isOpen ? '' : undefined}
        className={`relative flex flex-wrap items-center gap-2 ${COLLAPSED_CLASS}`}
      >
        <SearchInput
          label="Number, order or issuer"
          value={view.search ?? ''}
          // A typed letter adds no history entry.
          onSearch={(search) => onChange(changed(view, { search: search || undefined }), 'replace')}
        />
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => setIsOpen(!isOpen)}
          className={`md:hidden ${FILTER_BUTTON}`}
        >
          <ListFilter aria-hidden="true" className="size-3.5 text-ink-3" />
          {isOpen ? 'Fewer filters' : 'Filters'}
        </button>
        <SortMenu choices={sortOptions(view, onChange)} />
        {/* On a phone these buttons are hidden with the filters, and their panels open under this row. */}
        <div data-off="" className="relative flex gap-2 max-md:w-full print:hidden">
          <ViewMenu path="/invoices" />
          {props.children}
        </div>
        <StatusChips view={view} onChange={onChange} />
        <Controls {...props} />
        {isFiltered(view) ? <ClearAll onClear={() => onChange(cleared(view))} /> : null}
      </div>
      {descriptions.length > 0 ? (
        <p className="hidden print:block">Only: {descriptions.join(' · ')}</p>
      ) : null}
    </search>
  )
}

const CREDIT: DocumentKind = 'credit-note'

/**
 * Status of issued invoices (drafts and voided ones have no status), and credit notes, which are not owed. Only one of
 * them can be selected at a time.
 */
function StatusChips({ view, onChange }: { view: View; onChange: (view: View) => void }) {
  if (!statesOf(view).includes('issued')) return null
  const statuses = valuesOf(view, 'status')
  const kinds = valuesOf(view, 'document')
  const isAll = statuses.length === 0 && kinds.length === 0
  const withoutKind = withValues(view, 'document', [])
  return (
    <div data-off={isAll ? '' : undefined}>
      <ChoiceChips
        legend="Status"
        isAll={isAll}
        choices={[
          ...INVOICE_STATUSES.map((status) => ({
            value: status,
            name: INVOICE_STATUS_NAMES[status],
            selected: statuses.includes(status),
          })),
          { value: CREDIT, name: 'Credit notes', selected: kinds.includes(CREDIT) },
        ]}
        onAll={() => onChange(withValues(withoutKind, 'status', []))}
        onToggle={(value) =>
          onChange(
            value === CREDIT
              ? toggled(withValues(view, 'status', []), 'document', CREDIT)
              : toggled(withoutKind, 'status', value),
          )
        }
      />
    </div>
  )
}
