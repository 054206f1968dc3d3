import type { LicenseChange } from '#lib/licenses/license-changes/contract.ts'
import { DAY_MS, dayBegin, monthBegin } from '#lib/platform/values/days.ts'

/** Number of licenses from a time on. */
export type SeatStep = { at: number; seats: number }

/** Range of a plot, in epoch milliseconds. */
export type TimeSpan = { from: number; to: number }

/** Purchased and assigned licenses as they were seen at a time. */
export type SeatSample = { at: number; purchased: number; assigned: number }

type Change = Pick<LicenseChange, 'createTime' | 'settleTime' | 'from' | 'to'>

/** History of an asset's seats: changes of the total, newest first, and readings, oldest first. */
export type SeatHistory = {
  changes: readonly Change[]
  samples: readonly SeatSample[]
  /** The present seats. */
  now: { purchased: number; assigned: number }
  /** Start of the asset, in epoch milliseconds. */
  since: number
}

/** The twelve months up to a moment. */
export function yearUntil(now: number): TimeSpan {
  const from = new Date(now)
  from.setUTCFullYear(from.getUTCFullYear() - 1)
  return { from: from.getTime(), to: now }
}

/**
 * Returns the purchased licenses over a span, oldest first. They begin with the first reading, or with the total before
 * the first change, which held since the asset began. Where a change did not start from the total before it, the vendor
 * changed the total in between: the step is at the time it was seen.
 */
export function purchasedSteps({ changes, samples, now, since }: SeatHistory, span: TimeSpan): SeatStep[] {
  const seen = [
    // Changes of one millisecond keep their order.
    ...changes
      .toReversed()
      .map(({ createTime, settleTime = createTime, from, to }) => ({ at: settleTime, from, to })),
    ...samples.map(({ at, purchased }) => ({ at, from: purchased, to: purchased })),
  ].sort((a, b) => a.at - b.at)
  const first = seen[0]
  const isRead = first !== undefined && first.at === samples[0]?.at
  const begin = isRead ? first.at : Math.min(since, first?.at ?? span.to)
  const steps = [{ at: begin, seats: first?.from ?? now.purchased }]
  for (const { at, from, to } of seen) steps.push({ at, seats: from }, { at, seats: to })
  return within(span, [...steps, { at: span.to, seats: now.purchased }])
}

/** Assigned licenses over a span, oldest first, from the first reading on; none where they were never read. */
export function assignedSteps({ samples, now }: SeatHistory, span: TimeSpan): SeatStep[] {
  const steps = samples.map(({ at, assigned }) => ({ at, seats: assigned }))
  return within(span, steps.length > 0 ? [...steps, { at: span.to, seats: now.assigned }] : [])
}

/** Steps moved into a span, without those that change nothing. */
function within(span: TimeSpan, steps: readonly SeatStep[]): SeatStep[] {
  const inside = steps.map(({ at, seats }) => ({ at: Math.min(span.to, Math.max(span.from, at)), seats }))
  return inside.filter(({ seats }, index) => seats !== inside[index - 1]?.seats)
}

/** The seats at the end of each day of UTC on which they changed, newest first. */
export function seatDays(purchased: readonly SeatStep[], assigned: readonly SeatStep[]) {
  const ends = [...purchased, ...assigned].map(({ at }) => dayBegin(at) + DAY_MS - 1)
  const at = (steps: readonly SeatStep[], end: number) => steps.findLast((step) => step.at <= end)?.seats
  return [...new Set(ends)]
    .sort((a, b) => b - a)
    .map((end) => ({ day: end - DAY_MS + 1, purchased: at(purchased, end), assigned: at(assigned, end) }))
}

/** The first moments of the months within a span. */
export function monthsIn({ from, to }: TimeSpan): number[] {
  const months: number[] = []
  for (let month = monthBegin(from, 1); month <= to; month = monthBegin(month, 1)) months.push(month)
  return months
}
