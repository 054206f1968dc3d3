import { useRef } from 'react'
import { RemovableChip } from '#components/ui/chip.tsx'
import type { ActiveFilter } from './view.ts'

/** Every filter that is on, each with the way to take it off; `cleared` is the view without any. */
export function ActiveFilters<View>({
  active,
  cleared,
  onChange,
}: {
  active: readonly ActiveFilter<View>[]
  cleared: View
  onChange: (view: View) => void
}) {
  const place = useRef<HTMLDivElement>(null)
  // What was pressed is gone: the focus goes to what is left, not to the start of the page.
  const change = (next: View) => {
    onChange(next)
    requestAnimationFrame(() => {
      if (document.activeElement !== document.body) return
      const target = place.current?.querySelector('button') ?? place.current
      target?.focus({ preventScroll: true })
    })
  }
  return (
    <div ref={place} tabIndex={-1} className="outline-none">
      {active.length > 0 ? (
        <section aria-label="Active filters" className="mb-3 flex flex-wrap items-center gap-2">
          {active.map(({ text, without }) => (
            <RemovableChip key={text} name={text} onRemove={() => change(without)}>
              <span className="max-w-[calc(100vw-5.5rem)] truncate tabular-nums">{text}</span>
            </RemovableChip>
          ))}
          <button
            type="button"
            onClick={() => change(cleared)}
            className="rounded-sm px-1.5 py-1 text-sm font-medium text-ink-2 underline-offset-2 hover:text-ink hover:underline"
          >
            Clear all
          </button>
        </section>
      ) : null}
    </div>
  )
}
