import type { View } from '#components/billing/invoices/view.ts'
import { changed, withValues } from '#components/lists/filters/view.ts'
import type { CurrencySummary, InvoiceSummary } from '#lib/billing/invoices/contract.ts'
import { DAY_MS, daysBetween, daysText, dayText } from '#lib/platform/values/days.ts'
import { formatAmount } from '#lib/platform/values/money.ts'
import { type Figure, invoicesText } from '../invoices/figure.ts'
import { billed } from './billed-figure.ts'

/** The figures of one currency. */
export type FigureSet = { currency: string; figures: Figure[] }

/**
 * The figures of each currency, under the same names; `view` is what they are of. Of several currencies each begins
 * with its total, which of a single one stands over the list.
 */
export function figuresOf(summary: InvoiceSummary, view: View): FigureSet[] {
  const { today } = summary
  const months = summary.currencies.flatMap((one) => one.months.map(({ month }) => month))
  const newest = months.length > 0 ? Math.max(...months) : undefined
  const isSeveral = summary.currencies.length > 1
  return summary.currencies.map((sums) => {
    // A figure of one currency leads to what it counts, and so to that currency alone.
    const own = isSeveral ? withValues(view, 'currency', [sums.currency]) : changed(view, {})
    return {
      currency: sums.currency,
      figures: [
        ...(isSeveral ? [total(sums, own)] : []),
        outstanding(sums, own),
        pastDue(sums, today, own),
        dueSoon(sums, today, own),
        ...(newest === undefined ? [] : [billed(sums, newest, today, own)]),
      ],
    }
  })
}

function total({ count, totalAmount }: CurrencySummary, view: View): Figure {
  return { name: 'Total', amount: totalAmount, note: invoicesText(count), view }
}

function outstanding({ outstanding: open, credit, currency }: CurrencySummary, view: View): Figure {
  const inCredit = credit.count > 0 ? `${formatAmount(-credit.amount, currency)} in credit` : ''
  const name = 'Outstanding'
  if (open.count === 0) return { name, amount: open.amount, note: inCredit || 'none' }
  return {
    name,
    amount: open.amount,
    note: invoicesText(open.count),
    ...(inCredit ? { more: inCredit } : {}),
    view: openOf(view),
  }
}

function pastDue({ pastDue: late }: CurrencySummary, today: number, view: View): Figure {
  const name = 'Past due'
  if (late.oldestDueDate === undefined) return { name, amount: late.amount, note: 'none' }
  const days = daysBetween(late.oldestDueDate, today)
  const oldest = `${late.count === 1 ? '' : 'oldest '}${daysText(days)}`
  return {
    name,
    amount: late.amount,
    note: `${invoicesText(late.count)}, ${oldest}`,
    late: true,
    view: openOf(view, 'PAST DUE'),
  }
}

function dueSoon({ dueIn30Days: soon }: CurrencySummary, today: number, view: View): Figure {
  const name = 'Due in 30 days'
  if (soon.firstDueDate === undefined) return { name, amount: soon.amount, note: 'none' }
  const first = soon.firstDueDate === today ? 'today' : `on ${dayText(soon.firstDueDate)}`
  return {
    name,
    amount: soon.amount,
    note: `${invoicesText(soon.count)}, ${soon.count === 1 ? '' : 'first '}${first}`,
    view: within(openOf(view, 'OPEN'), today, today + 30 * DAY_MS),
  }
}

/** What of a view is to be paid: of its own statuses, those that say so. */
function openOf(view: View, ...statuses: ('OPEN' | 'PAST DUE')[]): View {
  if (statuses.length > 0) return withValues(view, 'status', statuses)
  const own = (view.filter?.status ?? []).map((status) => status.toUpperCase())
  const open = ['OPEN', 'PAST DUE'].filter((status) => own.length === 0 || own.includes(status))
  return withValues(view, 'status', open)
}

/** The view of what is due from one day to another, within its own days. */
function within(view: View, from: number, to: number): View {
  const { minDueDate = from, maxDueDate = to } = view
  return { ...view, minDueDate: Math.max(minDueDate, from), maxDueDate: Math.min(maxDueDate, to) }
}
