import { DAY_MS, epochOfDay, MONTHS, monthBegin } from '#lib/platform/values/days.ts'

/** Days of UTC as epoch milliseconds, both inclusive; `told`: the line says so itself. */
export type Period = { from: number; to: number; isStated: boolean }

const LOWER_CASE_MONTHS = MONTHS.map((month) => month.toLowerCase())
const ISO = /(\d{4}-\d{2}-\d{2})\D{1,20}(\d{4}-\d{2}-\d{2})/
const DAY_MONTH_RANGE =
  /(\d{1,2}) ([A-Z][a-z]{2})[a-z]*\.?(?: (\d{4}))? ?[–—-] ?(\d{1,2}) ([A-Z][a-z]{2})[a-z]*\.? (\d{4})/
/** A bill that names no period is for what was before it. */
const DEFAULT_DAYS = 31

/**
 * Returns the days that an invoice without a period bills: those of its calendar month. A bill that is dated the 1st is for
 * the month before. `lib/costs/explanations/lines.ts` has the same rule in SQL.
 * @param invoiceDate epoch milliseconds of a day of UTC
 */
export function calendarMonthOf(invoiceDate: number): { from: number; to: number } {
  const from = monthBegin(invoiceDate - DAY_MS)
  return { from, to: monthBegin(from, 1) - DAY_MS }
}

/**
 * The time that a line bills for: as its details name it (`1 Oct – 31 Oct 2026`, `2026-10-01 to 2026-10-31`), else the
 * month before the invoice's day.
 * @param invoiceDate epoch milliseconds of a day of UTC
 */
export function billedPeriod(details: string | undefined, invoiceDate: number): Period {
  const stated = statedPeriod(details?.slice(0, 1000) ?? '')
  if (stated && stated.from <= stated.to) return { ...stated, isStated: true }
  return { from: invoiceDate - (DEFAULT_DAYS - 1) * DAY_MS, to: invoiceDate, isStated: false }
}

function statedPeriod(details: string): { from: number; to: number } | undefined {
  const iso = ISO.exec(details)
  if (iso) return days(epochOfDay(iso[1] ?? ''), epochOfDay(iso[2] ?? ''))
  const match = DAY_MONTH_RANGE.exec(details)
  if (!match) return undefined
  const [, day, month, year, lastDay, lastMonth, lastYear] = match
  return days(midnightOf(day, month, year ?? lastYear), midnightOf(lastDay, lastMonth, lastYear))
}

function days(from: number, to: number) {
  return Number.isNaN(from) || Number.isNaN(to) ? undefined : { from, to }
}

/** The midnight of a day; NaN for what is none, such as 31 Feb. */
function midnightOf(date = '', month = '', year = ''): number {
  const index = LOWER_CASE_MONTHS.indexOf(month.toLowerCase())
  const at = Date.UTC(Number(year), index, Number(date))
  return new Date(at).getUTCDate() === Number(date) && index >= 0 ? at : Number.NaN
}
