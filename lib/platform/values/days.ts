// Days are UTC days, stored as `date` and read as text, `YYYY-MM-DD`, which sorts chronologically: columns.ts of the
// schema has their column and today's day. The API sends the epoch milliseconds of their midnight in UTC, with which
// screens compute, and which they show in UTC. Month names are fixed here instead of Intl's, so that server, browser and
// every version of Node write the same.

export const DAY_MS = 86_400_000

/** Midnight of the last day that a JavaScript date and PostgreSQL both write with a four-digit year. */
export const LAST_DAY = Date.UTC(9999, 11, 31)

/** Three-letter names of the months, from January. */
export const MONTHS = [
  'Jan',
  'Feb',
  'Mar',
  'Apr',
  'May',
  'Jun',
  'Jul',
  'Aug',
  'Sep',
  'Oct',
  'Nov',
  'Dec',
] as const

const LONG_MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]

/** Day as text, or any time within it in epoch milliseconds. */
type Day = string | number

/**
 * Returns the day of a time in epoch milliseconds, as text; times after `LAST_DAY` count as that day.
 * @throws RangeError for NaN
 */
export function dayOf(epochMs: number): string {
  return new Date(Math.min(epochMs, LAST_DAY)).toISOString().slice(0, 10)
}

/** Returns the epoch milliseconds of a day's midnight; NaN for an invalid day. */
export function epochOfDay(day: string): number {
  // A day without a time is parsed as UTC, and four times as fast. Date.parse may take other formats for local time.
  return /^\d{4}-\d\d-\d\d$/.test(day) ? Date.parse(day) : Number.NaN
}

/** Returns the midnight at the start of a time's day; both in epoch milliseconds. */
export function dayBegin(epochMs: number): number {
  return Math.floor(epochMs / DAY_MS) * DAY_MS
}

/** Returns the day this number of days later, or earlier if negative. */
export function addDays(day: string, days: number): string {
  return dayOf(epochOfDay(day) + days * DAY_MS)
}

/** Returns the number of days from one day to another; negative if the latter is earlier. */
export function daysBetween(from: Day, to: Day): number {
  return (dayBegin(timeOf(to)) - dayBegin(timeOf(from))) / DAY_MS
}

/** Returns the start of a day's month, or of a month this number of months later, in epoch milliseconds. */
export function monthBegin(day: Day, months = 0): number {
  const date = new Date(dayBegin(timeOf(day)))
  // Date.UTC maps the years 0 to 99 to 1900 to 1999.
  return date.setUTCFullYear(date.getUTCFullYear(), date.getUTCMonth() + months, 1)
}

/** Returns a day's calendar quarter, or the one this number of quarters later: `2026-Q3`. */
export function quarterOf(day: Day, quarters = 0): string {
  const date = new Date(monthBegin(day, 3 * quarters))
  return `${date.getUTCFullYear()}-Q${Math.floor(date.getUTCMonth() / 3) + 1}`
}

/** Returns a day for people: `30 Sep 2026`. */
export function dayText(day: Day): string {
  const date = new Date(timeOf(day))
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`
}

/** Returns a number of days as text: `1 day`, `1,204 days`. */
export function daysText(days: number): string {
  return `${days.toLocaleString('en')} ${days === 1 ? 'day' : 'days'}`
}

/** Returns the short name of a day's month: `Sep`. */
export function monthName(day: Day): string {
  return MONTHS[new Date(timeOf(day)).getUTCMonth()] ?? ''
}

/** Returns the full name of a day's month: `September`. */
export function monthText(day: Day): string {
  return LONG_MONTHS[new Date(timeOf(day)).getUTCMonth()] ?? ''
}

/** Returns a day's month and year: `September 2026`. */
export function monthAndYear(day: Day): string {
  return `${monthText(day)} ${new Date(timeOf(day)).getUTCFullYear()}`
}

function timeOf(day: Day): number {
  return typeof day === 'string' ? epochOfDay(day) : day
}
