import { rangeName } from '#components/dates/date-range.ts'
import type { ActiveFilter } from '#components/ui/active-filters.tsx'
import { dayText } from '#lib/days.ts'
import { INVOICE_STATUS_NAMES, type InvoiceStatus, platformName } from '#lib/invoices/rules.ts'
import { changed, rangeOf, toggled, type View, valuesOf, withRange } from './view.ts'

/** Every filter that is on, each with the view without it. */
export function activeFilters(view: View, today: number): ActiveFilter<View>[] {
  const range = rangeName(rangeOf(view), today)
  const values = (key: 'platform' | 'status' | 'dueDate', name: (value: string) => string) =>
    [...new Set(valuesOf(view, key))].map((value) => ({
      text: name(value),
      without: toggled(view, key, value),
    }))
  return [
    ...(view.search
      ? [{ text: `Number ${view.search}…`, without: changed(view, { search: undefined }) }]
      : []),
    ...(range ? [{ text: range, without: withRange(view, {}) }] : []),
    ...values('platform', platformName),
    ...values('status', (status) => INVOICE_STATUS_NAMES[status as InvoiceStatus] ?? status),
    ...values('dueDate', (day) => `Due ${dayText(Number(day))}`),
  ]
}
