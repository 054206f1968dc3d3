import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { countText } from './count-text.ts'

const BASE =
  'inline-flex h-7.5 max-md:h-9 shrink-0 items-center gap-2 rounded-full border text-sm font-medium whitespace-nowrap transition-colors duration-120'

/** Toggle for a choice, with its number of rows. */
export function ToggleChip({
  selected,
  count,
  onToggle,
  children,
}: {
  selected: boolean
  count?: number | undefined
  onToggle: () => void
  children: ReactNode
}) {
  const stateClass = selected
    ? 'border-accent bg-accent-tint text-accent'
    : 'border-line-2 bg-surface text-ink-2 hover:bg-sunken hover:text-ink'
  return (
    <button type="button" aria-pressed={selected} onClick={onToggle} className={`${BASE} ${stateClass} px-3`}>
      {children}
      {count === undefined ? null : <span className="tabular-nums">{countText(count)}</span>}
    </button>
  )
}

/** Active filter with a × that removes it; `label` names the filter in the button's label. */
export function RemovableChip({
  label,
  onRemove,
  children,
}: {
  label: string
  onRemove: () => void
  children: ReactNode
}) {
  return (
    <span className={`${BASE} border-accent bg-accent-tint pl-3 text-accent`}>
      {children}
      <button
        type="button"
        aria-label={`Remove filter: ${label}`}
        onClick={onRemove}
        className="grid h-full w-8 place-items-center rounded-full hover:bg-accent/15"
      >
        <X aria-hidden="true" className="size-3.5" />
      </button>
    </span>
  )
}
