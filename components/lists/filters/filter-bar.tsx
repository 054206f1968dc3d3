'use client'

import { ListFilter } from 'lucide-react'
import { type ComponentProps, type ReactNode, useRef, useState } from 'react'
import { RemovableChip } from '#components/ui/chip.tsx'
import { FILTER_BUTTON } from '#components/ui/filter-button.ts'
import { SearchInput } from '#components/ui/search-input.tsx'
import { Spinner } from '#components/ui/spinner.tsx'
import { ChoiceChips } from './choice-chips.tsx'
import { type Filter, searching } from './filter.tsx'
import { AddFilter, FilterMenu } from './filter-menu.tsx'
import { type ActiveFilter, cleared as clearedOf, type ListView } from './view.ts'

/**
 * Bar above a list, in the same order on every screen: search, the main filters, "Add filter", the active filters as
 * removable chips, "Clear all"; and on the right the list's tools. On phones the filters that are off are behind a
 * button.
 */
export function FilterBar<View extends ListView>({
  view,
  cleared = clearedOf(view),
  isFiltered,
  isWaiting = false,
  searchLabel,
  chips = [],
  main = [],
  filters = [],
  active = [],
  onChange,
  children,
}: {
  view: View
  /** View without filters. */
  cleared?: View
  /** Whether any filter is active. */
  isFiltered: boolean
  /** Whether to show that a view is loading, on a screen that does not dim its rows. */
  isWaiting?: boolean
  /** Searched fields; undefined for a list without search. */
  searchLabel?: string
  /** Main filters with few values, each visible. */
  chips?: readonly ComponentProps<typeof ChoiceChips>[]
  /** Main filters with many values: always visible, too. */
  main?: readonly (Filter | undefined)[]
  filters?: readonly (Filter | undefined)[]
  /** Active filters without a control, which other screens set. */
  active?: readonly ActiveFilter<View>[]
  onChange: (view: View, how?: 'push' | 'replace') => void
  /** Tools of the list: views, columns, order, export. */
  children?: ReactNode
}) {
  const bar = useRef<HTMLDivElement>(null)
  const [isOpen, setIsOpen] = useState(false)
  const [visible, others] = [main.filter(isThere), filters.filter(isThere)]
  const hasFilters = chips.length + visible.length + others.length > 0
  // A pressed × is gone: the focus moves to a remaining control, not to the start of the page.
  const restoreFocus = () =>
    requestAnimationFrame(() => {
      if (document.activeElement !== document.body) return
      const controls = [...(bar.current?.querySelectorAll<HTMLElement>('button, input') ?? [])]
      const visibleControls = controls.filter((one) => one.offsetParent)
      const next = visibleControls.find((one) => one.closest('[data-add]')) ?? visibleControls.at(-1)
      next?.focus({ preventScroll: true })
    })
  const change = (next: View) => {
    onChange(next)
    restoreFocus()
  }
  const clearing = (filter: Filter): Filter => ({
    ...filter,
    onClear: () => {
      filter.onClear()
      restoreFocus()
    },
  })
  const all = [...visible, ...others]
  // A chip for a value of a filter has the filter's label, and is printed with the filter.
  const printed = [
    ...(view.search ? [`Found by “${view.search}”`] : []),
    ...chips
      .filter(({ legend }) => all.every(({ label }) => label !== legend))
      .flatMap(({ choices }) => choices.filter(({ selected }) => selected).map(({ name }) => name)),
    ...all
      .filter(({ value }) => value !== undefined)
      .map(({ label, value, text = value }) => `${label}: ${text}`),
    ...active.map(({ text }) => text),
  ]
  return (
    <search aria-label="Filters" className="mb-3 block">
      <div
        data-open={isOpen ? '' : undefined}
        className="relative flex items-start gap-2 max-[36rem]:flex-wrap max-md:not-data-open:[&_[data-off]]:hidden"
      >
        <div
          ref={bar}
          className={`flex min-h-8.5 min-w-0 grow flex-wrap items-center gap-2 print:hidden ${searchLabel ? 'max-[36rem]:w-full' : ''}`}
        >
          {searchLabel ? (
            <div className="flex gap-2 max-md:w-full">
              <SearchInput
                label={searchLabel}
                value={view.search ?? ''}
                // A typed letter adds no history entry.
                onSearch={(text) =>
                  text === (view.search ?? '') || onChange(searching(view, text), 'replace')
                }
              />
              {hasFilters ? <Toggle isTall isOpen={isOpen} onToggle={() => setIsOpen(!isOpen)} /> : null}
            </div>
          ) : hasFilters ? (
            <Toggle isOpen={isOpen} onToggle={() => setIsOpen(!isOpen)} />
          ) : null}
          {chips.map((group) => (
            <div key={group.legend} data-off={group.isAll ? '' : undefined}>
              <ChoiceChips {...group} />
            </div>
          ))}
          {visible.map((filter) => (
            <FilterMenu key={filter.label} {...filter} />
          ))}
          {others.length > 0 ? <AddFilter filters={others} /> : null}
          {others
            .filter(({ value }) => value !== undefined)
            .map((filter) => (
              <FilterMenu key={filter.label} {...clearing(filter)} />
            ))}
          {active.map(({ text, without }) => (
            <RemovableChip key={text} text={text} onRemove={() => change(without)} />
          ))}
          {isFiltered ? (
            <button
              type="button"
              onClick={() => change(cleared)}
              className="rounded-sm px-1.5 py-1 text-sm font-medium text-ink-2 underline-offset-2 hover:text-ink hover:underline"
            >
              Clear all
            </button>
          ) : null}
          {isWaiting ? (
            <span className="appear-late">
              <Spinner />
            </span>
          ) : null}
        </div>
        {children ? (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset would be read out before each of its parts
          <div role="group" aria-label="Tools" className="flex shrink-0 gap-1.5 print:hidden">
            {children}
          </div>
        ) : null}
      </div>
      {printed.length > 0 ? <p className="hidden print:block">Only: {printed.join(' · ')}</p> : null}
    </search>
  )
}

/** Button that shows the filters on a phone. */
function Toggle({
  isOpen,
  isTall = false,
  onToggle,
}: {
  isOpen: boolean
  /** As tall as the search box. */
  isTall?: boolean
  onToggle: () => void
}) {
  return (
    <button
      type="button"
      aria-expanded={isOpen}
      onClick={onToggle}
      className={`shrink-0 md:hidden ${FILTER_BUTTON} ${isTall ? 'max-md:h-11' : ''}`}
    >
      <ListFilter aria-hidden="true" className="size-3.5 text-ink-3" />
      {isOpen ? 'Fewer filters' : 'Filters'}
    </button>
  )
}

function isThere<Value>(value: Value | undefined): value is Value {
  return value !== undefined
}
