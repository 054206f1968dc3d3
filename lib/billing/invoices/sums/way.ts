import { addDays, dayOf, monthBegin } from '#lib/platform/values/days.ts'
import { type Days, daysOf, type Selection } from '../selection.ts'

/** No month begins after it: `LAST_DAY` is in it. */
const LAST_MONTH = '9999-12-01'

/** Where the sums of a selection come from: the months that are kept as sums, and the invoices of the other days. */
export type Way = { months: Days | undefined; rows: readonly Days[] }

/** The way that never asks the sums: each invoice that is selected is read. */
export function byRows(selection: Selection): Way {
  return { months: undefined, rows: [daysOf(selection)] }
}

/**
 * The one rule of which way a selection is added up. Sums are kept of issued invoices, by month. So whole months are
 * asked of them, and the days of a month that the range cuts are read; with a filter that the sums do not know, all are.
 */
export function wayOf(selection: Selection): Way {
  const { from, to } = daysOf(selection)
  if (!areKept(selection) || (from && from > LAST_MONTH)) return byRows(selection)
  const first = from && firstWholeMonth(from)
  const last = to && lastWholeMonth(to)
  if (first && last && first > last) return byRows(selection)
  const rows: Days[] = []
  if (from && first && from < first) rows.push({ from, to: addDays(first, -1) })
  if (to && last && to > last) rows.push({ from: addDays(last, 1), to })
  return { months: { from: first, to: last }, rows }
}

/** Whether the sums have what the filters ask for, dates apart. */
function areKept(selection: Selection): boolean {
  const { filter, search, ids, minAmount, maxAmount, product } = selection
  const states = new Set(filter?.state ?? ['issued'])
  if (states.size !== 1 || !states.has('issued') || filter?.dueDate || search || ids) return false
  if (product || filter?.document) return false
  return minAmount === undefined && maxAmount === undefined && areDueKept(selection)
}

/** The due days of what is open are kept, and of nothing else. */
function areDueKept({ filter, minDueDate, maxDueDate }: Selection): boolean {
  if (minDueDate === undefined && maxDueDate === undefined) return true
  return filter?.status?.every((status) => status === 'OPEN' || status === 'PAST DUE') ?? false
}

/** The first day from this one on with which a month begins. */
function firstWholeMonth(day: string): string {
  return dayOf(monthBegin(addDays(day, -1), 1))
}

/** The last day up to this one with which a month ends. */
function lastWholeMonth(day: string): string {
  return addDays(dayOf(monthBegin(addDays(day, 1))), -1)
}
