import type { LicenseChange } from '#lib/assets/contract.ts'

/** From when on how many licenses were purchased. */
export type Step = { at: number; seats: number }

/** What a plot covers, in epoch milliseconds. */
export type Span = { from: number; to: number }

/** The twelve months up to a moment. */
export function yearUntil(now: number): Span {
  const from = new Date(now)
  from.setUTCFullYear(from.getUTCFullYear() - 1)
  return { from: from.getTime(), to: now }
}

/**
 * Purchased licenses over a span, oldest first, from changes that were applied, newest first. Where a change
 * did not start from what the one before had set, the vendor changed the total meanwhile: it is shown from
 * when that was seen.
 * @param purchased the present total
 * @param since when the asset began
 */
export function seatSteps(
  changes: readonly Pick<LicenseChange, 'createTime' | 'from' | 'to'>[],
  purchased: number,
  since: number,
  span: Span,
): Step[] {
  const within = (at: number) => Math.min(span.to, Math.max(span.from, at))
  const oldest = changes.at(-1)
  const start = within(Math.min(since, oldest?.createTime ?? span.to))
  const steps: Step[] = [{ at: start, seats: oldest?.from ?? purchased }]
  const add = (at: number, seats: number) => {
    if (steps.at(-1)?.seats !== seats) steps.push({ at, seats })
  }
  for (const { createTime, from, to } of changes.toReversed()) {
    add(within(createTime), from)
    add(within(createTime), to)
  }
  add(span.to, purchased)
  return steps
}

/** Whole numbers at even distances that take in both bounds: at most six. */
export function ticksBetween(low: number, high: number): number[] {
  const wanted = Math.max(1, (high - low) / 4)
  const power = 10 ** Math.floor(Math.log10(wanted))
  const size = ([1, 2, 5, 10].find((factor) => factor * power >= wanted) ?? 10) * power
  const first = Math.floor(low / size) * size
  const last = Math.max(Math.ceil(high / size) * size, first + size)
  return Array.from({ length: Math.round((last - first) / size) + 1 }, (_, index) => first + index * size)
}

/** The first moments of the months within a span. */
export function monthsIn({ from, to }: Span): number[] {
  const date = new Date(from)
  const months: number[] = []
  for (let index = 1; ; index++) {
    const at = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + index)
    if (at > to) return months
    months.push(at)
  }
}
