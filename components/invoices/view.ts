import type { DateRange } from '#components/dates/date-range.ts'
import type { Input } from '#lib/api/contract.ts'
import { DAY_MS } from '#lib/days.ts'
import type { listInvoices as contract } from '#lib/invoices/contract.ts'
import { listInvoices } from '#lib/invoices/queries.ts'

/** What the screen shows: the decoded query of `listInvoices`. Its address is that call's query string. */
export type View = Input<typeof contract>['query']
/** The keys of a view's filter. */
export type FilterKey = keyof NonNullable<View['filter']>

/** The screen's address. */
export function hrefOf(view: View): string {
  return withSearch('/invoices', listInvoices.search(view))
}

/** The address of one invoice; the list's query goes along, so that the way back leads to the same view. */
export function invoiceHref(id: string, search: string): string {
  return withSearch(`/invoices/${encodeURIComponent(id)}`, search)
}

/** The address of a comparison; without `from` it is chosen there. */
export function comparisonHref(from: string | undefined, to: string): string {
  const parts = [
    ...(from === undefined ? [] : [`from=${encodeURIComponent(from)}`]),
    `to=${encodeURIComponent(to)}`,
  ]
  return `/invoices/compare?${parts.join('&')}`
}

/** The view with other filters: from its first page on, for a page token fits its own filters only. */
export function changed(view: View, change: View): View {
  const { pageToken: _, ...rest } = view
  return { ...rest, ...change }
}

/** The view with these values of one key of the filter; none takes the key away. */
export function withValues(view: View, key: FilterKey, values: readonly string[]): View {
  const { [key]: _, ...others } = view.filter ?? {}
  const filter = values.length > 0 ? { ...others, [key]: [...values] } : others
  return changed(view, { filter: Object.keys(filter).length > 0 ? filter : undefined })
}

/** The view with a value of one key put in, or taken out where it was in. */
export function toggled(view: View, key: FilterKey, value: string): View {
  const values = valuesOf(view, key)
  const without = values.filter((other) => other !== value)
  return withValues(view, key, without.length < values.length ? without : [...values, value])
}

export function valuesOf(view: View, key: FilterKey): readonly string[] {
  return view.filter?.[key] ?? []
}

// Any later time means the same; a date could not name it.
const LAST = Date.UTC(9999, 11, 31)

/** The days whose invoices a view shows. Times within a day count as the service counts them. */
export function rangeOf({ minCreationTime: min, maxCreationTime: max }: View): DateRange {
  return {
    from: min === undefined ? undefined : Math.ceil(Math.min(min, LAST) / DAY_MS) * DAY_MS,
    to: max === undefined ? undefined : Math.floor(Math.min(max, LAST) / DAY_MS) * DAY_MS,
  }
}

export function withRange(view: View, { from, to }: DateRange): View {
  return changed(view, { minCreationTime: from, maxCreationTime: to })
}

/** The view without any filter, in its order. */
export function cleared({ maxResults, orderBy }: View): View {
  return { maxResults, orderBy }
}

/** What selects rows and adds up, apart from their order and the page. */
export function selectionOf(view: View): Omit<View, 'orderBy' | 'pageToken' | 'maxResults'> {
  const { orderBy: _, pageToken: __, maxResults: ___, ...selection } = view
  return selection
}

export function isFiltered(view: View): boolean {
  return listInvoices.search(selectionOf(view)) !== ''
}

function withSearch(path: string, search: string): string {
  return search ? `${path}?${search}` : path
}
