import { addDays, dayOf, dayText, epochOfDay, monthBegin, monthName } from '#lib/platform/values/days.ts'

/** Returns the same day `months` later, or that month's last day where the month is shorter. */
export function addMonths(day: string, months: number): string {
  const begin = dayOf(monthBegin(day, months))
  return addDays(begin, Math.min(dateOf(day), dateOf(monthEnd(begin))) - 1)
}

export function monthStart(day: string): string {
  return dayOf(monthBegin(day))
}

function monthEnd(day: string): string {
  return addDays(dayOf(monthBegin(day, 1)), -1)
}

/** Returns the last days of the newest `count` months completed on `today`, newest first, including today. */
export function monthEnds(today: string, count: number): string[] {
  const newest = today === monthEnd(today) ? today : addDays(monthStart(today), -1)
  return Array.from({ length: count }, (_, ago) => monthEnd(addMonths(monthStart(newest), -ago)))
}

/** Returns a billing period as people write it: `1 Sep – 30 Sep 2026`, `15 Dec 2025 – 14 Dec 2026`. */
export function periodText(from: string, to: string): string {
  const isOneYear = from.slice(0, 4) === to.slice(0, 4)
  return `${isOneYear ? shortText(from) : dayText(from)} – ${dayText(to)}`
}

/** Returns a time on a day in UTC. */
export function timeOn(day: string, hour: number, minute: number): Date {
  return new Date(epochOfDay(day) + (hour * 60 + minute) * 60_000)
}

function shortText(day: string): string {
  return `${dateOf(day)} ${monthName(day)}`
}

/** Returns the day of the month. */
function dateOf(day: string): number {
  return Number(day.slice(8))
}
