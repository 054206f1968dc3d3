import { X } from 'lucide-react'
import type { MouseEvent, ReactNode } from 'react'

const BASE =
  'inline-flex h-7.5 max-md:h-9 shrink-0 items-center gap-2 rounded-full border text-sm font-medium whitespace-nowrap transition-colors duration-120'

/** Toggle for a choice. */
export function ToggleChip({
  selected,
  onToggle,
  children,
}: {
  selected: boolean
  onToggle: () => void
  children: ReactNode
}) {
  const stateClass = selected
    ? 'border-accent bg-accent-tint text-accent'
    : 'border-line-2 bg-surface text-ink-2 hover:bg-sunken hover:text-ink'
  return (
    <button
      type="button"
      aria-pressed={selected}
      onClick={onToggle}
      className={`${BASE} ${stateClass} px-2.5`}
    >
      {children}
    </button>
  )
}

/** Active filter with a × that removes it, with the look of one that has a panel. */
export function RemovableChip({ text, onRemove }: { text: string; onRemove: () => void }) {
  return (
    <span className="inline-flex max-w-full">
      <span className="inline-flex h-8.5 min-w-0 items-center rounded-l-control border border-r-0 border-accent bg-accent-tint px-3 text-sm font-medium text-accent tabular-nums max-md:h-10">
        <span className="truncate">{text}</span>
      </span>
      <RemoveFilter name={text} onRemove={onRemove} />
    </span>
  )
}

/** The × at the right end of an active filter. */
export function RemoveFilter({
  name,
  onRemove,
}: {
  name: string
  onRemove: (event: MouseEvent<HTMLButtonElement>) => void
}) {
  return (
    <button
      type="button"
      aria-label={`Remove filter: ${name}`}
      onClick={onRemove}
      className="grid h-8.5 w-8 shrink-0 place-items-center rounded-r-control border border-l-0 border-accent bg-accent-tint text-accent hover:bg-accent/15 max-md:h-10 max-md:w-10"
    >
      <X aria-hidden="true" className="size-3.5" />
    </button>
  )
}
