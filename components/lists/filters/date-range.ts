import { DAY_MS, dayBegin, dayOf, dayText, epochOfDay, monthBegin } from '#lib/platform/values/days.ts'

/** Days in UTC as epoch milliseconds of their midnight, both inclusive; an absent end is open. */
export type DateRange = { from?: number | undefined; to?: number | undefined }

/** Named range. */
export type Preset = { name: string; range: DateRange }

/** Returns the most requested ranges in UTC: the last week, and whole calendar months, quarters and years. */
export function presets(today: number): Preset[] {
  const months = (first: number, end: number) => ({
    from: monthBegin(today, first),
    to: monthBegin(today, end) - DAY_MS,
  })
  const january = -new Date(today).getUTCMonth()
  const quarter = january % 3
  const begin = dayBegin(today)
  return [
    { name: 'Last 7 days', range: { from: begin - 6 * DAY_MS, to: begin } },
    { name: 'This month', range: months(0, 1) },
    { name: 'Last month', range: months(-1, 0) },
    { name: 'This quarter', range: months(quarter, quarter + 3) },
    { name: 'Last quarter', range: months(quarter - 3, quarter) },
    { name: 'This year', range: months(january, january + 12) },
    { name: 'Last year', range: months(january - 12, january) },
    { name: 'All time', range: {} },
  ]
}

/** Returns the named ranges in the future. */
export function comingPresets(today: number): Preset[] {
  const begin = dayBegin(today)
  const days = (count: number) => ({ from: begin, to: begin + count * DAY_MS })
  const future = presets(today).filter(({ name }) => /^(This|All) /.test(name))
  return [...[30, 60, 90].map((count) => ({ name: `Next ${count} days`, range: days(count) })), ...future]
}

/** Returns the name of the preset with this range, if any. */
export function presetOf(range: DateRange, today: number, offered = presets): string | undefined {
  return offered(today).find((one) => one.range.from === range.from && one.range.to === range.to)?.name
}

/** Returns a range as text: `1 Dec 2025 – 20 Nov 2026`, `From 1 Dec 2025`, `Until 20 Nov 2026`. */
export function rangeText({ from, to }: DateRange): string {
  if (from !== undefined && to !== undefined) {
    return from === to ? dayText(from) : `${dayText(from)} – ${dayText(to)}`
  }
  if (from !== undefined) return `From ${dayText(from)}`
  return to === undefined ? 'All time' : `Until ${dayText(to)}`
}

/** Returns the value of a date input: `2026-09-30`; empty for an open end, or an invalid time. */
export function inputDay(day: number | undefined): string {
  return day === undefined || Number.isNaN(new Date(day).getTime()) ? '' : dayOf(day)
}

/** Returns a date input's value in epoch milliseconds; undefined when it is empty. */
export function dayOfInput(text: string): number | undefined {
  const day = epochOfDay(text)
  return Number.isNaN(day) ? undefined : day
}
