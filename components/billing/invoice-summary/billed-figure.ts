import { viewOfMonth } from '#components/billing/billed-months/months.ts'
import { explanationHref, rangeOf, type View } from '#components/billing/invoices/view.ts'
import type { CurrencySummary } from '#lib/billing/invoices/contract.ts'
import { DAY_MS, dayOf, monthAndYear, monthBegin, monthText } from '#lib/platform/values/days.ts'
import { type Figure, invoicesText } from '../invoices/figure.ts'

/** What was billed in the newest month that any currency has: the same month for each. */
export function billed({ months }: CurrencySummary, newest: number, today: number, view: View): Figure {
  const present = monthBegin(today)
  const otherYear = new Date(newest).getUTCFullYear() !== new Date(today).getUTCFullYear()
  const month = otherYear ? monthAndYear(newest) : monthText(newest)
  const name = `Billed in ${month}${newest === present ? ' so far' : ''}`
  const now = months.find((one) => one.month === newest)
  if (!now) return { name, amount: 0, note: 'none' }
  const own = viewOfMonth(view, newest)
  const previous = monthBegin(newest, -1)
  const before =
    isWhole(view, previous, newest) && newest < present && months.find((one) => one.month === previous)
  const change = before ? changeText(before.totalAmount, now.totalAmount, monthText(previous)) : undefined
  const told = { name, amount: now.totalAmount, note: invoicesText(now.count), view: own }
  return change === undefined ? told : { ...told, change: { text: change, ...explained(view, newest) } }
}

/** Why the month is dearer than the one before, of what the view selects: issued invoices, and nothing else. */
function explained({ filter }: View, month: number): { explained?: string } {
  const { platform, issuer, billingProfile, currency, state = ['issued'] } = filter ?? {}
  if (state.some((one) => one !== 'issued')) return {}
  return {
    explained: explanationHref(dayOf(month).slice(0, 7), { platform, issuer, billingProfile, currency }),
  }
}

/** Whether the view holds all that was billed in two months, so that they can be compared. */
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

/** `+6.2% on September`; undefined where a share says nothing. */
function changeText(before: number, now: number, month: string): string | undefined {
  if (before <= 0 || now < 0) return undefined
  const percent = Math.round((now / before - 1) * 1000) / 10
  if (percent === 0) return `as in ${month}`
  const digits = { minimumFractionDigits: 1, maximumFractionDigits: 1 }
  return `${percent < 0 ? '−' : '+'}${Math.abs(percent).toLocaleString('en', digits)}% on ${month}`
}
