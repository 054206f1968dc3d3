import type { View } from '#components/billing/invoices/view.ts'
import { rangeText } from '#components/lists/filters/date-range.ts'
import { valuesOf } from '#components/lists/filters/view.ts'
import { dayBegin, dayText } from '#lib/platform/values/days.ts'

/** Returns the due dates of a view as text: a range of days, and single days. */
export function dueTexts(view: View): string[] {
  const { minDueDate: min, maxDueDate: max } = view
  const dayOf = (at: number | undefined) => (at === undefined ? undefined : dayBegin(at))
  const text = rangeText({ from: dayOf(min), to: dayOf(max) })
  const days = valuesOf(view, 'dueDate').map((day) => dayText(Number(day)))
  return [
    ...(min === undefined && max === undefined
      ? []
      : [`Due ${text.charAt(0).toLowerCase()}${text.slice(1)}`]),
    ...(days.length > 0 ? [`Due ${days.join(', ')}`] : []),
  ]
}
