// Days are days of UTC as `YYYY-MM-DD`: they compare as text.

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** The day `days` later; earlier when negative. */
export function addDays(day: string, days: number): string {
  const [year, month, date] = partsOf(day)
  return dayOf(year, month, date + days)
}

/** The same day of the month `months` later, or that month's last day when it has no such day. */
export function addMonths(day: string, months: number): string {
  const [year, month, date] = partsOf(day)
  return dayOf(year, month + months, Math.min(date, daysIn(year, month + months)))
}

/** How many whole days lie from one day to a later one. */
export function daysBetween(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / 86_400_000
}

export function monthStart(day: string): string {
  return `${day.slice(0, 8)}01`
}

function monthEnd(day: string): string {
  const [year, month] = partsOf(day)
  return dayOf(year, month, daysIn(year, month))
}

/** The last days of the newest `count` months that are over on `today`, newest first; today may be one. */
export function monthEnds(today: string, count: number): string[] {
  const newest = today === monthEnd(today) ? today : addDays(monthStart(today), -1)
  return Array.from({ length: count }, (_, ago) => monthEnd(addMonths(monthStart(newest), -ago)))
}

/** A billing period as people write it: `1 Sep – 30 Sep 2026`, `15 Dec 2025 – 14 Dec 2026`. */
export function periodText(from: string, to: string): string {
  const sameYear = from.slice(0, 4) === to.slice(0, 4)
  return `${dateText(from, !sameYear)} – ${dateText(to, true)}`
}

/** A moment of a day in UTC. */
export function timeOn(day: string, hour: number, minute: number): Date {
  return new Date(Date.parse(day) + (hour * 60 + minute) * 60_000)
}

function dateText(day: string, withYear: boolean): string {
  const [year, month, date] = partsOf(day)
  return `${date} ${MONTHS[month]}${withYear ? ` ${year}` : ''}`
}

/** Year, month from 0, day of the month. */
function partsOf(day: string): [number, number, number] {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return [year, month - 1, date]
}

function daysIn(year: number, month: number): number {
  return new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
}

function dayOf(year: number, month: number, date: number): string {
  return new Date(Date.UTC(year, month, date)).toISOString().slice(0, 10)
}
