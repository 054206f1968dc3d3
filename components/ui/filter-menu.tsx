import { ChevronDown, X } from 'lucide-react'
import type { MouseEvent, ReactNode } from 'react'
import { FILTER_BUTTON, FILTER_BUTTON_ON, FILTER_MENU } from './filter-button.ts'
import { Menu } from './menu.tsx'

/**
 * Filter that is set and removed in one place: a button that shows its name while it is off and its value while it is
 * on, then with a × next to it. `children` renders the panel; its argument `close` closes it.
 */
export function FilterMenu({
  label,
  value,
  off,
  icon,
  onClear,
  className,
  preload,
  children,
}: {
  label: string
  /** Selected value, in short; undefined while the filter is off. */
  value: string | undefined
  /** Meaning of the filter while it is off, for screen readers: `All platforms`. */
  off: string
  icon?: ReactNode
  onClear: () => void
  className?: string
  /** Fetches the panel's data or script, as soon as the user is about to open it. */
  preload?: () => unknown
  children: (close: () => void) => ReactNode
}) {
  const clear = (event: MouseEvent<HTMLButtonElement>) => {
    // The × disappears: move the focus to its filter.
    event.currentTarget.parentElement?.querySelector('button')?.focus()
    onClear()
  }
  return (
    <div className={`inline-flex ${FILTER_MENU}`} data-off={value === undefined ? '' : undefined}>
      <Menu
        label={`${label}: ${value ?? off}`}
        buttonClassName={value === undefined ? FILTER_BUTTON : FILTER_BUTTON_ON}
        rootClassName=""
        className={className ?? ''}
        preload={preload}
        button={
          <>
            {icon}
            <span className="max-w-60 truncate tabular-nums">{value ?? label}</span>
            {value === undefined ? <ChevronDown aria-hidden="true" className="size-3.5 text-ink-3" /> : null}
          </>
        }
      >
        {children}
      </Menu>
      {value === undefined ? null : (
        <button
          type="button"
          aria-label={`Remove filter: ${value}`}
          onClick={clear}
          className="grid h-8.5 w-8 place-items-center rounded-r-control border border-l-0 border-accent bg-accent-tint text-accent hover:bg-accent/15 max-md:h-10 max-md:w-10 print:hidden"
        >
          <X aria-hidden="true" className="size-3.5" />
        </button>
      )}
    </div>
  )
}

/** Panel of a filter with any number of selected values. */
export function Choices({
  label,
  choices,
  selected,
  onToggle,
}: {
  label: string
  choices: readonly { value: string; name: ReactNode }[]
  selected: readonly string[]
  onToggle: (value: string) => void
}) {
  return (
    <fieldset className="max-h-96 overflow-y-auto">
      <legend className="sr-only">{label}</legend>
      {choices.map(({ value, name }) => (
        <label
          key={value}
          className="flex cursor-pointer items-center gap-2.5 rounded-md px-2.5 py-1.75 text-sm hover:bg-sunken max-md:py-2.5"
        >
          <input
            type="checkbox"
            checked={selected.includes(value)}
            onChange={() => onToggle(value)}
            className="size-4 shrink-0 accent-accent"
          />
          {name}
        </label>
      ))}
    </fieldset>
  )
}
