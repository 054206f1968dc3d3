import { hrefOf } from '#components/explanations/view.ts'
import { withValues } from '#components/filters/view.ts'
import { rangeOf, type View } from '#components/invoices/view.ts'
import { countText } from '#components/ui/count-text.ts'
import {
  DAY_MS,
  dayOf,
  daysBetween,
  daysText,
  dayText,
  monthAndYear,
  monthBegin,
  monthText,
} from '#lib/days.ts'
import type { CurrencySummary, InvoiceSummary } from '#lib/invoices/contract.ts'
import { formatAmount } from '#lib/money.ts'

/** One figure of one currency: an amount, and what it is made of. */
export type Figure = {
  name: string
  amount: number
  note: string
  /** Something is past due. */
  late?: boolean
  /** The view of what the figure counts. */
  view?: View
  /** Where its note is explained. */
  explained?: string
}

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
  return summary.currencies.map((sums) => ({
    currency: sums.currency,
    figures: [
      ...(summary.currencies.length > 1 ? [total(sums)] : []),
      outstanding(sums),
      pastDue(sums, today, view),
      dueSoon(sums, today),
      ...(newest === undefined ? [] : [billed(sums, newest, today, view)]),
    ],
  }))
}

/** `1 invoice`, `1,200 invoices`. */
export function invoicesText(count: number): string {
  return `${countText(count)} ${count === 1 ? 'invoice' : 'invoices'}`
}

function total({ count, totalAmount }: CurrencySummary): Figure {
  return { name: 'Total', amount: totalAmount, note: invoicesText(count) }
}

function outstanding({ outstanding: open, credit, currency }: CurrencySummary): Figure {
  const inCredit = credit.count > 0 ? `${formatAmount(-credit.amount, currency)} in credit` : ''
  const note = [open.count > 0 ? invoicesText(open.count) : '', inCredit].filter(Boolean).join(', ')
  return { name: 'Outstanding', amount: open.amount, note: note || 'none' }
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
    view: withValues(view, 'status', ['PAST DUE']),
  }
}

function dueSoon({ dueIn30Days: soon }: CurrencySummary, today: number): Figure {
  const name = 'Due in the next 30 days'
  if (soon.firstDueDate === undefined) return { name, amount: soon.amount, note: 'none' }
  const first = soon.firstDueDate === today ? 'today' : `on ${dayText(soon.firstDueDate)}`
  return {
    name,
    amount: soon.amount,
    note: `${invoicesText(soon.count)}, ${soon.count === 1 ? '' : 'first '}${first}`,
  }
}

/** What was billed in the newest month that any currency has: the same month for each. */
function billed({ months }: CurrencySummary, newest: number, today: number, view: View): Figure {
  const present = monthBegin(today)
  const otherYear = new Date(newest).getUTCFullYear() !== new Date(today).getUTCFullYear()
  const month = otherYear ? monthAndYear(newest) : monthText(newest)
  const name = `Billed in ${month}${newest === present ? ' so far' : ''}`
  const now = months.find((one) => one.month === newest)
  if (!now) return { name, amount: 0, note: 'none' }
  const previous = monthBegin(newest, -1)
  const before =
    isWhole(view, previous, newest) && newest < present && months.find((one) => one.month === previous)
  const change = before ? changeText(before.totalAmount, now.totalAmount, monthText(previous)) : undefined
  if (change === undefined) return { name, amount: now.totalAmount, note: invoicesText(now.count) }
  return { name, amount: now.totalAmount, note: change, ...explained(view, newest) }
}

/** Why the month is dearer than the one before, of what the view selects: issued invoices, and nothing else. */
function explained({ filter }: View, month: number): { explained?: string } {
  const { platform, issuer, billingProfile, currency, state = ['issued'] } = filter ?? {}
  if (state.some((one) => one !== 'issued')) return {}
  const own = { platform, issuer, billingProfile, currency }
  const isAll = Object.values(own).every((values) => values === undefined)
  return { explained: hrefOf({ month: dayOf(month).slice(0, 7), ...(isAll ? {} : { filter: own }) }) }
}

/** Whether the view holds all that was billed in two months, so that they can be compared. */
function isWhole(view: View, first: number, last: number): boolean {
  const { from = first, to = Number.POSITIVE_INFINITY } = rangeOf(view)
  const isPart = view.search || view.filter?.status || view.filter?.dueDate
  return !isPart && from <= first && to >= monthBegin(last, 1) - DAY_MS
}

/** `+6.2% on September`; undefined where a share says nothing. */
function changeText(before: number, now: number, month: string): string | undefined {
  if (before <= 0 || now < 0) return undefined
  const percent = Math.round((now / before - 1) * 1000) / 10
  if (percent === 0) return `as in ${month}`
  const digits = { minimumFractionDigits: 1, maximumFractionDigits: 1 }
  return `${percent < 0 ? '−' : '+'}${Math.abs(percent).toLocaleString('en', digits)}% on ${month}`
}
