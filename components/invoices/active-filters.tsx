import { useRef } from 'react'
import { dayText } from '#components/dates/day.tsx'
import { platformName } from '#components/platform/platform-mark.tsx'
import { RemovableChip } from '#components/ui/chip.tsx'
import { INVOICE_STATUS_NAMES, type InvoiceStatus } from '#lib/invoices/rules.ts'
import { presetOf, rangeOf, rangeText, withRange } from './date-range.ts'
import { changed, cleared, toggled, type View, valuesOf } from './view.ts'

/** Every filter that is on, each with the view without it. */
export function ActiveFilters({
  view,
  today,
  onChange,
}: {
  view: View
  today: number
  onChange: (view: View) => void
}) {
  const active = activeOf(view, today)
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
        <Chips active={active} onRemove={change} onClear={() => change(cleared(view))} />
      ) : null}
    </div>
  )
}

type Active = { text: string; without: View }

function Chips({
  active,
  onRemove,
  onClear,
}: {
  active: readonly Active[]
  onRemove: (without: View) => void
  onClear: () => void
}) {
  return (
    <section aria-label="Active filters" className="mb-3 flex flex-wrap items-center gap-2">
      {active.map(({ text, without }) => (
        <RemovableChip key={text} name={text} onRemove={() => onRemove(without)}>
          <span className="max-w-[calc(100vw-5.5rem)] truncate tabular-nums">{text}</span>
        </RemovableChip>
      ))}
      <button
        type="button"
        onClick={onClear}
        className="rounded-sm px-1.5 py-1 text-sm font-medium text-ink-2 underline-offset-2 hover:text-ink hover:underline"
      >
        Clear all
      </button>
    </section>
  )
}

function activeOf(view: View, today: number): Active[] {
  const range = rangeOf(view)
  const days = presetOf(range, today)
  const values = (key: 'platform' | 'status' | 'dueDate', name: (value: string) => string) =>
    [...new Set(valuesOf(view, key))].map((value) => ({
      text: name(value),
      without: toggled(view, key, value),
    }))
  return [
    ...(view.search
      ? [{ text: `Number ${view.search}…`, without: changed(view, { search: undefined }) }]
      : []),
    ...(days === 'All time'
      ? []
      : [{ text: days ? `${days}: ${rangeText(range)}` : rangeText(range), without: withRange(view, {}) }]),
    ...values('platform', platformName),
    ...values('status', (status) => INVOICE_STATUS_NAMES[status as InvoiceStatus] ?? status),
    ...values('dueDate', (day) => `Due ${dayText(Number(day))}`),
  ]
}
