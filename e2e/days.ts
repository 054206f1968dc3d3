const DAY_MS = 86_400_000
/** Midnight of UTC before this file was loaded, which each spec file does once. */
const TODAY = Math.floor(Date.now() / DAY_MS) * DAY_MS

/** How soon a page is read that is asked for now, in milliseconds, be the machine as busy as it may. */
const MAX_READ_DELAY_MS = 300_000

/** The day so many days from the one on which the spec began, as `YYYY-MM-DD`: what a spec says of its rows. */
export function day(offset: number): string {
  return new Date(TODAY + offset * DAY_MS).toISOString().slice(0, 10)
}

/** A day as the screens write it, e.g. 9 Oct 2026. */
export function dayLabel(date: string): string {
  const parts = new Date(date).toUTCString().split(' ')
  return `${Number(parts[1])} ${parts[2]} ${parts[3]}`
}

/** The first day of the month so many months before the one in which the spec began. */
export function monthBefore(months: number): Date {
  const now = new Date(TODAY)
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, 1))
}

/**
 * What a screen may say that tells a day from today: as of the day on which the spec began, and as of the next one
 * too where midnight has come meanwhile, or may come before the screen is read.
 * @param text what it says so many days later
 */
export function sinceThen(text: (days: number) => string): RegExp {
  const passed = Math.floor((Date.now() + MAX_READ_DELAY_MS - TODAY) / DAY_MS)
  const texts = Array.from({ length: passed + 1 }, (_, days) =>
    text(days).replace(/[.*+?^${}()|[\]\\]/g, '\\$&'),
  )
  return new RegExp(`(?:${texts.join('|')})`)
}

/** What `look` finds on one day of UTC: it looks again where midnight came between. */
export async function onOneDay<Result>(load: () => Promise<Result>): Promise<Result> {
  for (;;) {
    const before = Math.floor(Date.now() / DAY_MS)
    const result = await load()
    if (Math.floor(Date.now() / DAY_MS) === before) return result
  }
}
