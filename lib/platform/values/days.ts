// Days are days of UTC. They are kept and sent as text, `YYYY-MM-DD`, which compares as days do; screens reckon with
// the epoch milliseconds of their midnight. Months are named here and not by Intl, so that server and browser, and
// every version of Node, write the same.

export const DAY_MS = 86_400_000

/** The midnight of the last day that a JavaScript date and PostgreSQL can both name with four digits of a year. */
export const LAST_DAY = Date.UTC(9999, 11, 31)

/** The three letters of each month, from January on. */
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

/** A day as text, or any time within it in epoch milliseconds. */
type Day = string | number

/**
 * The day that holds a time in epoch milliseconds, as text; what comes after `LAST_DAY` counts as that.
 * @throws RangeError where the time is NaN
 */
export function dayOf(epochMs: number): string {
  return new Date(Math.min(epochMs, LAST_DAY)).toISOString().slice(0, 10)
}

/** Epoch milliseconds of a day's midnight; NaN where the text is no day. */
export function epochOfDay(day: string): number {
  // Without a time it is a day of UTC, and read four times as fast. What else there is to read Date.parse may take for local.
  return /^\d{4}-\d\d-\d\d$/.test(day) ? Date.parse(day) : Number.NaN
}

/** The midnight with which the day begins that holds a time; both in epoch milliseconds. */
export function dayBegin(epochMs: number): number {
  return Math.floor(epochMs / DAY_MS) * DAY_MS
}

/** The day so many days later, or earlier when negative. */
export function addDays(day: string, days: number): string {
  return dayOf(epochOfDay(day) + days * DAY_MS)
}

/** How many days it is from one day to another; negative when that lies before. */
export function daysBetween(from: Day, to: Day): number {
  return (dayBegin(timeOf(to)) - dayBegin(timeOf(from))) / DAY_MS
}

/** The midnight with which the month of a day begins, or a month so many months later, in epoch milliseconds. */
export function monthBegin(day: Day, months = 0): number {
  const date = new Date(dayBegin(timeOf(day)))
  // Date.UTC would take the years before 100 for those of the last century.
  return date.setUTCFullYear(date.getUTCFullYear(), date.getUTCMonth() + months, 1)
}

/** A day for people: `30 Sep 2026`. */
export function dayText(day: Day): string {
  const date = new Date(timeOf(day))
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`
}

/** How many days it is: `1 day`, `1,204 days`. */
export function daysText(days: number): string {
  return `${days.toLocaleString('en')} ${days === 1 ? 'day' : 'days'}`
}

/** The month of a day: `Sep`. */
export function monthName(day: Day): string {
  return MONTHS[new Date(timeOf(day)).getUTCMonth()] ?? ''
}

/** The month of a day in full: `September`. */
export function monthText(day: Day): string {
  return LONG_MONTHS[new Date(timeOf(day)).getUTCMonth()] ?? ''
}

/** The month of a day in full, and its year: `September 2026`. */
export function monthAndYear(day: Day): string {
  return `${monthText(day)} ${new Date(timeOf(day)).getUTCFullYear()}`
}

function timeOf(day: Day): number {
  return typeof day === 'string' ? epochOfDay(day) : day
}
