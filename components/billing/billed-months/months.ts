import { rangeOf, type View, withRange } from '#components/billing/invoices/view.ts'
import { withValues } from '#components/lists/filters/view.ts'
import { sortByPlatform } from '#components/platform/values/platform-icon.tsx'
import type { CurrencySummary } from '#lib/billing/invoices/contract.ts'
import { DAY_MS, monthBegin } from '#lib/platform/values/days.ts'

type Billed = CurrencySummary['months'][number]
/** Amount billed by a platform in a month, drawn from `low` to `high`; below zero for a credit. */
export type Segment = { platform: string; count: number; amount: number; low: number; high: number }
/** Month of the plot, possibly without invoices. */
export type MonthBar = { month: number; count: number; amount: number; segments: Segment[] }

/** Number of months that fit into a line above the list. */
export const COLLAPSED_MONTHS = 12
/** Largest number of bars that can be told apart by eye; the table has all months. */
export const MAX_MONTHS = 60

/**
 * Returns the newest months, each with its platforms stacked in their order: charges upwards from zero, credits
 * downwards.
 */
export function barsOf(months: readonly Billed[]): MonthBar[] {
  const last = months.at(-1)?.month
  if (last === undefined) return []
  const byMonth = new Map(months.map((one) => [one.month, one]))
  const bars: MonthBar[] = []
  for (let month = Math.max(months[0]?.month ?? last, monthBegin(last, 1 - MAX_MONTHS)); month <= last; ) {
    const { count = 0, totalAmount: amount = 0, platforms = [] } = byMonth.get(month) ?? {}
    bars.push({ month, count, amount, segments: stacked(platforms) })
    month = monthBegin(month, 1)
  }
  return bars
}

function stacked(platforms: Billed['platforms']): Segment[] {
  let [top, bottom] = [0, 0]
  return sortByPlatform(platforms, ({ platform }) => platform).map(
    ({ platform, count, totalAmount: amount }) => {
      const start = amount < 0 ? bottom : top
      const end = start + amount
      if (amount < 0) bottom = end
      else top = end
      return { platform, count, amount, low: Math.min(start, end), high: Math.max(start, end) }
    },
  )
}

/** Returns all platforms of these months, in their order. */
export function platformsOf(months: readonly Billed[]): string[] {
  const all = new Set(months.flatMap(({ platforms }) => platforms.map(({ platform }) => platform)))
  return sortByPlatform([...all], (platform) => platform)
}

/** Returns the view of a month, or of one platform in it, limited to the days of `view`. */
export function viewOfMonth(view: View, month: number, platform?: string): View {
  const { from = month, to = Number.POSITIVE_INFINITY } = rangeOf(view)
  const days = { from: Math.max(from, month), to: Math.min(to, monthBegin(month, 1) - DAY_MS) }
  const monthView = withRange(view, days)
  return platform === undefined ? monthView : withValues(monthView, 'platform', [platform])
}

/** Identifies a month of the plot, or one platform in it. */
export type ChartPoint = { month: number; platform?: string | undefined }

/** Returns the unique key of a point. */
export function keyOf({ month, platform = '' }: ChartPoint): string {
  return `${month}.${platform}`
}

/**
 * Returns the point that an arrow key moves to: left and right between months with invoices, on the same platform if it
 * was billed there; up and down within a month, where the whole month comes below its platforms.
 */
export function nextPoint(
  bars: readonly MonthBar[],
  { month, platform }: ChartPoint,
  key: string,
): ChartPoint | undefined {
  const billed = bars.filter(({ segments }) => segments.length > 0)
  const at = billed.findIndex((bar) => bar.month === month)
  const sideways: Record<string, number> = {
    ArrowLeft: at - 1,
    ArrowRight: at + 1,
    Home: 0,
    End: billed.length - 1,
  }
  const isSideways = Object.hasOwn(sideways, key)
  const bar = billed[(isSideways ? sideways[key] : undefined) ?? at]
  if (!bar) return undefined
  if (isSideways) {
    const isThere = bar.segments.some((segment) => segment.platform === platform)
    return { month: bar.month, platform: isThere ? platform : undefined }
  }
  const step = key === 'ArrowUp' ? 1 : key === 'ArrowDown' ? -1 : undefined
  if (step === undefined) return undefined
  const ladder = [undefined, ...bar.segments.map((segment) => segment.platform)]
  const next = ladder.indexOf(platform) + step
  return next in ladder ? { month, platform: ladder[next] } : undefined
}
