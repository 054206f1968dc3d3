import { useRef } from 'react'
import { RemovableChip } from '#components/ui/chip.tsx'
import { ClearAll } from '#components/ui/clear-all.tsx'
import type { ActiveFilter } from './view.ts'

/**
 * At the end of a list's filters: those that are on and have no control of their own, each with the way to take it off, and
 * the way to take off all. What has a control is seen and taken off there, and only there.
 * @param isFiltered whether any filter is on, those with controls among them
 * @param cleared the view without any
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
  // What was pressed is gone: the focus goes to what is left, not to the start of the page.
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
