import { dayText } from './day.tsx'

export const DAY_MS = 86_400_000

/** Days of UTC as epoch milliseconds of their midnight, both inclusive; an absent end is open. */
export type DateRange = { from?: number | undefined; to?: number | undefined }

/** The ranges that are asked for most, in whole calendar months and years of UTC. */
export function presets(today: number): { name: string; range: DateRange }[] {
  const date = new Date(today)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  const months = (first: number, end: number) => ({
    from: Date.UTC(year, first),
    to: Date.UTC(year, end) - DAY_MS,
  })
  return [
    { name: 'This month', range: months(month, month + 1) },
    { name: 'Last month', range: months(month - 1, month) },
    { name: 'Last 3 months', range: months(month - 3, month) },
    { name: 'This year', range: months(0, 12) },
    { name: 'Last year', range: months(-12, 0) },
    { name: 'All time', range: {} },
  ]
}

/** The name of the preset that a range is, if it is one. */
export function presetOf(range: DateRange, today: number): string | undefined {
  return presets(today).find((one) => one.range.from === range.from && one.range.to === range.to)?.name
}

/** A range in words: `1 Dec 2025 – 20 Nov 2026`, `From 1 Dec 2025`, `Until 20 Nov 2026`. */
export function rangeText({ from, to }: DateRange): string {
  if (from !== undefined && to !== undefined) {
    return from === to ? dayText(from) : `${dayText(from)} – ${dayText(to)}`
  }
  if (from !== undefined) return `From ${dayText(from)}`
  return to === undefined ? 'All time' : `Until ${dayText(to)}`
}

/** A range as a filter that is on: its preset's name with the days, or the days; undefined for all time. */
export function rangeName(range: DateRange, today: number): string | undefined {
  const preset = presetOf(range, today)
  if (preset === 'All time') return undefined
  return preset ? `${preset}: ${rangeText(range)}` : rangeText(range)
}

/** What a date input holds: `2026-09-30`. */
export function inputDay(day: number | undefined): string {
  return day === undefined || Number.isNaN(new Date(day).getTime())
    ? ''
    : new Date(day).toISOString().slice(0, 10)
}

/** Epoch milliseconds of what a date input holds; undefined when it is empty. */
export function dayOfInput(text: string): number | undefined {
  const day = Date.parse(`${text}T00:00:00Z`)
  return Number.isNaN(day) ? undefined : day
}
