'use client'

import { ListFilter } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { isFiltered, type View } from '#components/licenses/assets/view.ts'
import { ChoiceChips } from '#components/lists/filters/choice-chips.tsx'
import { changed, cleared, toggled, valuesOf, withValues } from '#components/lists/filters/view.ts'
import { ViewMenu } from '#components/lists/views/view-menu.tsx'
import { PlatformIcon } from '#components/platform/values/platform-icon.tsx'
import { ClearAll } from '#components/ui/clear-all.tsx'
import { FILTER_BUTTON } from '#components/ui/filter-button.ts'
import { SearchInput } from '#components/ui/search-input.tsx'
import { SortMenu } from '#components/ui/sort-menu.tsx'
import { Controls } from './controls.tsx'
import { describeFilters, type FilterChoices } from './labels.ts'
import { sortOptions } from './sort.ts'

// On phones inactive filters are behind a button; active ones stay visible.
const COLLAPSED_CLASS = 'max-md:not-data-open:[&_[data-off]]:hidden'

/**
 * Search, order, a chip per type with its number of assets within the other filters, and these filters: each is set,
 * shown and removed in one place.
 */
export function FilterBar({
  view,
  counts,
  choices,
  today,
  onChange,
  children,
}: {
  view: View
  counts: readonly { type: string; count: number }[]
  choices: FilterChoices
  today: number
  onChange: (view: View, how?: 'push' | 'replace') => void
  /** Further settings of the list. */
  children?: ReactNode
}) {
  const { search = '' } = view
  const [isOpen, setIsOpen] = useState(false)
  const types = valuesOf(view, 'type')
  const missing = types.filter((type) => counts.every((one) => one.type !== type))
  const offered = [...counts, ...missing.map((type) => ({ type, count: 0 }))]
  const descriptions = describeFilters(view)
  return (
    <search aria-label="Filters" className="mb-3 block">
      <div
        data-open={isOpen ? '' : undefined}
        className={`relative flex flex-wrap items-center gap-2 ${COLLAPSED_CLASS}`}
      >
        <div className="flex w-full gap-2 md:contents">
          <SearchInput
            label="Name, domain or ID"
            value={search}
            // A typed letter adds no history entry.
            onSearch={(text) => text === search || onChange(changed(view, { search: text }), 'replace')}
          />
          <button
            type="button"
            aria-expanded={isOpen}
            onClick={() => setIsOpen(!isOpen)}
            className={`shrink-0 max-md:h-11 md:hidden ${FILTER_BUTTON}`}
          >
            <ListFilter aria-hidden="true" className="size-3.5 text-ink-3" />
            {isOpen ? 'Fewer filters' : 'Filters'}
          </button>
        </div>
        <Controls view={view} choices={choices} today={today} onChange={onChange} />
        <div data-off={types.length === 0 ? '' : undefined}>
          <ChoiceChips
            legend="Type"
            isAll={types.length === 0}
            count={counts.reduce((sum, { count }) => sum + count, 0)}
            choices={offered.map(({ type, count }) => ({
              value: type,
              name: <PlatformIcon slug={type} />,
              selected: types.includes(type),
              count,
            }))}
            onAll={() => onChange(withValues(view, 'type', []))}
            onToggle={(type) => onChange(toggled(view, 'type', type))}
          />
        </div>
        <SortMenu isAlways choices={sortOptions(view, onChange)} />
        {/* On a phone the panels open below this last row of the filters. */}
        <div className="flex gap-2 md:relative print:hidden">
          <ViewMenu path="/assets" />
          {children}
        </div>
        {isFiltered(view) ? <ClearAll onClear={() => onChange(cleared(view))} /> : null}
      </div>
      {descriptions.length > 0 ? (
        <p className="hidden print:block">Only: {descriptions.join(' · ')}</p>
      ) : null}
    </search>
  )
}
