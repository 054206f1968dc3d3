// Named here, so that server and browser agree whatever their language data.
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const DAY_MS = 86_400_000

/** A day of UTC from epoch milliseconds: `30 Sep 2026`. */
export function dayText(epochMs: number): string {
  const date = new Date(epochMs)
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`
}

/** Whole days of UTC from one time to another; negative when it lies before. */
export function daysBetween(fromMs: number, toMs: number): number {
  return Math.floor(toMs / DAY_MS) - Math.floor(fromMs / DAY_MS)
}

/** A day, readable by machines too. */
export function Day({ at }: { at: number }) {
  return (
    <time dateTime={new Date(at).toISOString().slice(0, 10)} className="whitespace-nowrap tabular-nums">
      {dayText(at)}
    </time>
  )
}
