import { useRef } from 'react'
import { RemovableChip } from '#components/ui/chip.tsx'
import { ClearAll } from '#components/ui/clear-all.tsx'
import type { ActiveFilter } from './view.ts'

/**
 * Active filters without a control of their own, at the end of a list's filters: each can be removed, and all can be
 * cleared. Filters with a control are shown and removed only there.
 * @param isFiltered whether any filter is active, including those with controls
 * @param cleared the view without filters
 */
export function ActiveFilters<View>({
  active,
  isFiltered,
  cleared,
  onChange,
}: {
  active: readonly ActiveFilter<View>[]
  isFiltered: boolean
  cleared: View
  onChange: (view: View) => void
}) {
  const container = useRef<HTMLDivElement>(null)
  // The pressed button is gone: the focus moves to a remaining one, not to the start of the page.
  const change = (next: View) => {
    onChange(next)
    requestAnimationFrame(() => {
      if (document.activeElement !== document.body) return
      const target = container.current?.querySelector('button') ?? container.current
      target?.focus({ preventScroll: true })
    })
  }
  return (
    <div ref={container} tabIndex={-1} className="outline-none">
      {isFiltered ? (
        <section aria-label="Active filters" className="flex flex-wrap items-center gap-2">
          {active.map(({ text, without }) => (
            <RemovableChip key={text} label={text} onRemove={() => change(without)}>
              <span className="max-w-[calc(100vw-5.5rem)] truncate tabular-nums">{text}</span>
            </RemovableChip>
          ))}
          <ClearAll onClear={() => change(cleared)} />
        </section>
      ) : null}
    </div>
  )
}
