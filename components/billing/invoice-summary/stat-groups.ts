import { viewOfMonth } from '#components/billing/billed-months/months.ts'
import { explanationHref, rangeOf, type View } from '#components/billing/invoices/view.ts'
import { changed, withValues } from '#components/lists/filters/view.ts'
import type { CurrencySummary, InvoiceSummary } from '#lib/billing/invoices/contract.ts'
import {
  DAY_MS,
  dayOf,
  daysBetween,
  daysText,
  dayText,
  monthAndYear,
  monthBegin,
  monthText,
} from '#lib/platform/values/days.ts'
import { formatAmount } from '#lib/platform/values/money.ts'
import { invoicesText, type Stat } from '../invoices/stat.ts'

/** The figures of one currency. */
export type StatGroup = { currency: string; stats: Stat[] }

/**
 * Returns the stats of each currency, under the same names; `view` is the view they summarize. With several currencies
 * each group begins with its total, which for a single currency is above the list.
 */
export function statGroups(summary: InvoiceSummary, view: View): StatGroup[] {
  const { today } = summary
  const months = summary.currencies.flatMap((one) => one.months.map(({ month }) => month))
  const newest = months.length > 0 ? Math.max(...months) : undefined
  const isSeveral = summary.currencies.length > 1
  return summary.currencies.map((sums) => {
    // A stat of one currency links to the invoices that it counts, and so to that currency only.
    const currencyView = isSeveral ? withValues(view, 'currency', [sums.currency]) : changed(view, {})
    return {
      currency: sums.currency,
      stats: [
        ...(isSeveral ? [total(sums, currencyView)] : []),
        outstanding(sums, currencyView),
        pastDue(sums, today, currencyView),
        dueWithin30Days(sums, today, currencyView),
        ...(newest === undefined ? [] : [billed(sums, newest, today, currencyView)]),
      ],
    }
  })
}

function total({ count, totalAmount, totalAmountText }: CurrencySummary, view: View): Stat {
  return { name: 'Total', amount: totalAmountText ?? totalAmount, note: invoicesText(count), view }
}

function outstanding({ outstanding: open, credit, currency }: CurrencySummary, view: View): Stat {
  const absoluteAmount = String(credit.amountText ?? credit.amount).replace('-', '')
  const inCredit = credit.count > 0 ? `${formatAmount(absoluteAmount, currency)} in credit` : ''
  const name = 'Outstanding'
  if (open.count === 0) return { name, amount: open.amount, note: inCredit || 'none' }
  return {
    name,
    amount: open.amountText ?? open.amount,
    note: invoicesText(open.count),
    ...(inCredit ? { more: inCredit } : {}),
    view: openOf(view),
  }
}

function pastDue({ pastDue: due }: CurrencySummary, today: number, view: View): Stat {
  const name = 'Past due'
  if (due.oldestDueDate === undefined) return { name, amount: due.amount, note: 'none' }
  const days = daysBetween(due.oldestDueDate, today)
  const oldest = `${due.count === 1 ? '' : 'oldest '}${daysText(days)}`
  return {
    name,
    amount: due.amountText ?? due.amount,
    note: `${invoicesText(due.count)}, ${oldest}`,
    isPastDue: true,
    view: openOf(view, 'PAST DUE'),
  }
}

function dueWithin30Days({ dueIn30Days: due }: CurrencySummary, today: number, view: View): Stat {
  const name = 'Due in 30 days'
  if (due.firstDueDate === undefined) return { name, amount: due.amount, note: 'none' }
  const first = due.firstDueDate === today ? 'today' : `on ${dayText(due.firstDueDate)}`
  return {
    name,
    amount: due.amountText ?? due.amount,
    note: `${invoicesText(due.count)}, ${due.count === 1 ? '' : 'first '}${first}`,
    view: within(openOf(view, 'OPEN'), today, today + 30 * DAY_MS),
  }
}

/** Restricts a view to the payable statuses among its own. */
function openOf(view: View, ...statuses: ('OPEN' | 'PAST DUE')[]): View {
  if (statuses.length > 0) return withValues(view, 'status', statuses)
  const selected = (view.filter?.status ?? []).map((status) => status.toUpperCase())
  const open = ['OPEN', 'PAST DUE'].filter((status) => selected.length === 0 || selected.includes(status))
  return withValues(view, 'status', open)
}

/** Restricts a view to due dates in a range, within its own range. */
function within(view: View, from: number, to: number): View {
  const { minDueDate = from, maxDueDate = to } = view
  return { ...view, minDueDate: Math.max(minDueDate, from), maxDueDate: Math.min(maxDueDate, to) }
}

/** Returns the stat of the newest month that any currency has: the same month for each. */
function billed({ months }: CurrencySummary, newest: number, today: number, view: View): Stat {
  const present = monthBegin(today)
  const otherYear = new Date(newest).getUTCFullYear() !== new Date(today).getUTCFullYear()
  const month = otherYear ? monthAndYear(newest) : monthText(newest)
  const name = `Billed in ${month}${newest === present ? ' so far' : ''}`
  const now = months.find((one) => one.month === newest)
  if (!now) return { name, amount: 0, note: 'none' }
  const monthView = viewOfMonth(view, newest)
  const previous = monthBegin(newest, -1)
  const before =
    isWhole(view, previous, newest) && newest < present && months.find((one) => one.month === previous)
  const change = before ? changeText(before.totalAmount, now.totalAmount, monthText(previous)) : undefined
  const stat = {
    name,
    amount: now.totalAmountText ?? now.totalAmount,
    note: invoicesText(now.count),
    view: monthView,
  }
  return change === undefined ? stat : { ...stat, change: { text: change, ...explained(view, newest) } }
}

/** Returns the link to the explanation of the month's increase, where the view selects issued invoices only. */
function explained({ filter }: View, month: number): { explained?: string } {
  const { platform, issuer, billingProfile, currency, state = ['issued'] } = filter ?? {}
  if (state.some((one) => one !== 'issued')) return {}
  return {
    explained: explanationHref(dayOf(month).slice(0, 7), { platform, issuer, billingProfile, currency }),
  }
}

/** Returns whether the view covers all that was billed in two months, so that they can be compared. */
function isWhole(view: View, first: number, last: number): boolean {
  const { from = first, to = Number.POSITIVE_INFINITY } = rangeOf(view)
  const isPart =
    view.search ||
    view.product ||
    view.filter?.document ||
    view.filter?.status ||
    view.filter?.dueDate ||
    [view.minAmount, view.maxAmount, view.minDueDate, view.maxDueDate].some((bound) => bound !== undefined)
  return !isPart && from <= first && to >= monthBegin(last, 1) - DAY_MS
}

/** Formats a change, as `+6.2% on September`; undefined where a share is meaningless. */
function changeText(before: number, now: number, month: string): string | undefined {
  if (before <= 0 || now < 0) return undefined
  const percent = Math.round((now / before - 1) * 1000) / 10
  if (percent === 0) return `as in ${month}`
  const digits = { minimumFractionDigits: 1, maximumFractionDigits: 1 }
  return `${percent < 0 ? '−' : '+'}${Math.abs(percent).toLocaleString('en', digits)}% on ${month}`
}
