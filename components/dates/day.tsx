// Named here, so that server and browser agree whatever their language data.
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const DAY_MS = 86_400_000

/** A day of UTC from epoch milliseconds: `30 Sep 2026`. */
export function dayText(epochMs: number): string {
  const date = new Date(epochMs)
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`
}

/** The month of UTC that a time lies in: `Sep`. */
export function monthName(epochMs: number): string {
  return MONTHS[new Date(epochMs).getUTCMonth()] ?? ''
}

const LONG_MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]

/** The month of UTC that a time lies in, in full: `September`. */
export function monthText(epochMs: number): string {
  return LONG_MONTHS[new Date(epochMs).getUTCMonth()] ?? ''
}

/** `September 2026` */
export function monthAndYear(epochMs: number): string {
  return `${monthText(epochMs)} ${new Date(epochMs).getUTCFullYear()}`
}

/** The first moment of the month of UTC that a time lies in, or of one that lies `months` after it. */
export function monthBegin(epochMs: number, months = 0): number {
  const date = new Date(epochMs)
  date.setUTCHours(0, 0, 0, 0)
  // Not Date.UTC, which takes the years before 100 for those of the last century.
  return date.setUTCFullYear(date.getUTCFullYear(), date.getUTCMonth() + months, 1)
}

/** How long ago, in words: `a minute ago`; from a day on the date itself: `on 30 Sep 2026`. */
export function agoText(atMs: number, nowMs: number): string {
  const minutes = Math.max(0, Math.round((nowMs - atMs) / 60_000))
  if (minutes < 1) return 'just now'
  if (minutes < 60) return minutes === 1 ? 'a minute ago' : `${minutes} minutes ago`
  const hours = Math.round(minutes / 60)
  if (hours < 24) return hours === 1 ? 'an hour ago' : `${hours} hours ago`
  return `on ${dayText(atMs)}`
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
