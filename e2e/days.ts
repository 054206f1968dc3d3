const DAY_MS = 86_400_000
/** Midnight in UTC before this file was loaded, which happens once per spec file. */
const TODAY = Math.floor(Date.now() / DAY_MS) * DAY_MS

/** Longest delay in milliseconds between the call and the read of a page, on a very busy machine. */
const MAX_READ_DELAY_MS = 300_000

/** Returns a day as `YYYY-MM-DD`, by its offset from the day on which the spec began; for the rows of a spec. */
export function day(offset: number): string {
  return new Date(TODAY + offset * DAY_MS).toISOString().slice(0, 10)
}

/** Returns a day as the screens format it, e.g. 9 Oct 2026. */
export function dayLabel(date: string): string {
  const parts = new Date(date).toUTCString().split(' ')
  return `${Number(parts[1])} ${parts[2]} ${parts[3]}`
}

/** Returns the first day of the month, some months before the one in which the spec began. */
export function monthBefore(months: number): Date {
  const now = new Date(TODAY)
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, 1))
}

/**
 * Returns a pattern for a text that counts days from today: as of the day on which the spec began, or also of the next
 * one if midnight has passed, or may pass before the screen is read.
 */
export function sinceThen(text: (days: number) => string): RegExp {
  const passed = Math.floor((Date.now() + MAX_READ_DELAY_MS - TODAY) / DAY_MS)
  const texts = Array.from({ length: passed + 1 }, (_, days) =>
    text(days).replace(/[.*+?^${}()|[\]\\]/g, '\\$&'),
  )
  return new RegExp(`(?:${texts.join('|')})`)
}

/** Returns the result of `load` within one UTC day: loads again if midnight passed in between. */
export async function onOneDay<Result>(load: () => Promise<Result>): Promise<Result> {
  for (;;) {
    const before = Math.floor(Date.now() / DAY_MS)
    const result = await load()
    if (Math.floor(Date.now() / DAY_MS) === before) return result
  }
}
