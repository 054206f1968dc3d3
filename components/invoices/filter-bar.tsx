import { ChoiceChips } from '#components/filters/choice-chips.tsx'
import { DateFilter } from '#components/filters/date-filter.tsx'
import { PlatformFilter } from '#components/filters/platform-filter.tsx'
import { changed, toggled, valuesOf, withValues } from '#components/filters/view.ts'
import { SearchInput } from '#components/ui/search-input.tsx'
import { SortMenu } from '#components/ui/sort-menu.tsx'
import type { Invoice } from '#lib/invoices/contract.ts'
import { INVOICE_STATUS_NAMES, INVOICE_STATUSES } from '#lib/invoices/rules.ts'
import { orderChoices } from './order.ts'
import { StateFilter } from './state-filter.tsx'
import { rangeOf, statesOf, type View, withRange } from './view.ts'

/** Search, dates, platforms, documents, and the status of issued ones; on phones the order too. `rows` are those in sight: their platforms can be chosen too. */
export function FilterBar({
  view,
  rows,
  today,
  onChange,
}: {
  view: View
  rows: readonly Invoice[]
  today: number
  onChange: (view: View, how?: 'push' | 'replace') => void
}) {
  const statuses = valuesOf(view, 'status')
  return (
    <div className="mb-3 flex flex-wrap items-center gap-2">
      <SearchInput
        label="Number or issuer"
        value={view.search ?? ''}
        // Each letter is no step of its own on the way back.
        onSearch={(search) => onChange(changed(view, { search: search || undefined }), 'replace')}
      />
      <div className="relative flex flex-wrap gap-2">
        <DateFilter
          label="Invoice date"
          range={rangeOf(view)}
          today={today}
          onChange={(range) => onChange(withRange(view, range))}
        />
        <PlatformFilter
          chosen={valuesOf(view, 'platform')}
          rows={rows}
          onToggle={(platform) => onChange(toggled(view, 'platform', platform))}
        />
        <StateFilter view={view} onChange={onChange} />
        <SortMenu choices={orderChoices(view, onChange)} />
      </div>
      {statesOf(view).includes('issued') ? (
        <ChoiceChips
          legend="Status"
          isAll={statuses.length === 0}
          choices={INVOICE_STATUSES.map((status) => ({
            value: status,
            name: INVOICE_STATUS_NAMES[status],
            isOn: statuses.includes(status),
          }))}
          onAll={() => onChange(withValues(view, 'status', []))}
          onToggle={(status) => onChange(toggled(view, 'status', status))}
        />
      ) : null}
    </div>
  )
}
