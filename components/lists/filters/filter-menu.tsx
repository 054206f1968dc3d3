import { ChevronDown, Plus } from 'lucide-react'
import type { MouseEvent } from 'react'
import { RemoveFilter } from '#components/ui/chip.tsx'
import { FILTER_BUTTON, FILTER_BUTTON_ON } from '#components/ui/filter-button.ts'
import { Menu } from '#components/ui/menu.tsx'
import { type Filter, OffFilters, preloadPanels } from './filter.tsx'

/**
 * Filter that is set and removed in one place: a button that shows its name while it is off and its value while it is
 * on, then with a × next to it.
 */
export function FilterMenu({ label, value, off, isWide, preload, onClear, renderPanel }: Filter) {
  const clear = (event: MouseEvent<HTMLButtonElement>) => {
    // The × disappears: move the focus to its filter.
    event.currentTarget.parentElement?.querySelector('button')?.focus()
    onClear()
  }
  return (
    <div className="inline-flex max-w-full" data-off={value === undefined ? '' : undefined}>
      <Menu
        label={`${label}: ${value ?? off}`}
        buttonClassName={value === undefined ? FILTER_BUTTON : FILTER_BUTTON_ON}
        rootClassName="min-w-0"
        className={isWide ? 'w-74' : ''}
        preload={() => preloadPanels(preload ? [{ preload }] : [])}
        button={
          value === undefined ? (
            <>
              {label}
              <ChevronDown aria-hidden="true" className="size-3.5 text-ink-3" />
            </>
          ) : (
            <span className="max-w-60 truncate tabular-nums">
              <span className="font-normal">{label}: </span>
              {value}
            </span>
          )
        }
      >
        {renderPanel}
      </Menu>
      {value === undefined ? null : <RemoveFilter name={value} onRemove={clear} />}
    </div>
  )
}

/** Menu of the filters that are off; the selected one shows its panel in the place of the menu. */
export function AddFilter({ filters }: { filters: readonly Filter[] }) {
  return (
    <div data-off="" data-add="">
      <Menu
        className="w-74"
        preload={() => preloadPanels(filters)}
        buttonClassName={FILTER_BUTTON}
        button={
          <>
            <Plus aria-hidden="true" className="size-3.5 text-ink-3" />
            Add filter
          </>
        }
      >
        {(close) => <OffFilters filters={filters} close={close} />}
      </Menu>
    </div>
  )
}
