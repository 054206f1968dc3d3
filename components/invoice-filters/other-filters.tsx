import { rangeText } from '#components/filters/date-range.ts'
import { changed, valuesOf, withValues } from '#components/filters/view.ts'
import type { View } from '#components/invoices/view.ts'
import { RemovableChip } from '#components/ui/chip.tsx'
import { dayBegin, dayText } from '#lib/days.ts'

/** Filters that figures and other screens lead to, and that have no control of their own: each can be taken off. */
export function OtherFilters({ view, onChange }: { view: View; onChange: (view: View) => void }) {
  const days = valuesOf(view, 'dueDate').map((day) => dayText(Number(day)))
  const due = dueRange(view)
  return (
    <>
      {due ? (
        <RemovableChip
          name={due}
          onRemove={() => onChange(changed(view, { minDueDate: undefined, maxDueDate: undefined }))}
        >
          {due}
        </RemovableChip>
      ) : null}
      {days.length > 0 ? (
        <RemovableChip
          name={`Due ${days.join(', ')}`}
          onRemove={() => onChange(withValues(view, 'dueDate', []))}
        >
          {`Due ${days.join(', ')}`}
        </RemovableChip>
      ) : null}
    </>
  )
}

/** From which to which day what a view shows is due, in words. */
function dueRange({ minDueDate: min, maxDueDate: max }: View): string | undefined {
  if (min === undefined && max === undefined) return undefined
  const range = {
    from: min === undefined ? undefined : dayBegin(min),
    to: max === undefined ? undefined : dayBegin(max),
  }
  const text = rangeText(range)
  return `Due ${text.charAt(0).toLowerCase()}${text.slice(1)}`
}
