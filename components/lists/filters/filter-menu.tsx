import { ChevronDown, Plus } from 'lucide-react'
import { type MouseEvent, useEffect, useRef, useState } from 'react'
import { RemoveFilter } from '#components/ui/chip.tsx'
import { FILTER_BUTTON, FILTER_BUTTON_ON } from '#components/ui/filter-button.ts'
import { MENU_ITEM, Menu } from '#components/ui/menu.tsx'
import { type Filter, preloadPanels } from './filter.tsx'

/**
 * Filter that is set and removed in one place: a button that shows its name while it is off and its value while it is
 * on, then with a × next to it.
 */
export function FilterMenu({ label, value, off, isWide, onClear, renderPanel }: Filter) {
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
        preload={preloadPanels}
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
        preload={preloadPanels}
        buttonClassName={FILTER_BUTTON}
        button={
          <>
            <Plus aria-hidden="true" className="size-3.5 text-ink-3" />
            Add filter
          </>
        }
      >
        {(close) => <AddFilterPanel filters={filters} close={close} />}
      </Menu>
    </div>
  )
}

function AddFilterPanel({ filters, close }: { filters: readonly Filter[]; close: () => void }) {
  const [label, setLabel] = useState<string>()
  const panel = useRef<HTMLDivElement>(null)
  // The pressed entry is gone: the focus moves into the panel, unless the panel has taken it itself.
  useEffect(() => {
    if (label === undefined || panel.current?.contains(document.activeElement)) return
    const first = panel.current?.querySelector<HTMLElement>('input, button, a')
    ;(first ?? panel.current)?.focus()
  }, [label])
  const picked = filters.find((filter) => filter.label === label)
  if (picked)
    return (
      <div ref={panel} tabIndex={-1} className="outline-none">
        <p aria-hidden="true" className="px-2.5 pt-1 pb-1.5 text-xs font-medium text-ink-3">
          {picked.label}
        </p>
        {picked.renderPanel(close)}
      </div>
    )
  const off = filters.filter(({ value }) => value === undefined)
  if (off.length === 0) return <p className="px-2.5 py-1.75 text-sm text-ink-3">All filters are in use.</p>
  return (
    <ul>
      {off.map((filter) => (
        <li key={filter.label}>
          <button type="button" onClick={() => setLabel(filter.label)} className={MENU_ITEM}>
            {filter.label}
          </button>
        </li>
      ))}
    </ul>
  )
}
