import { dayOf, dayText } from '#lib/platform/values/days.ts'

/** Returns the elapsed time as text: `a minute ago`; after a day the date: `on 30 Sep 2026`. */
export function agoText(atMs: number, nowMs: number): string {
  const minutes = Math.max(0, Math.round((nowMs - atMs) / 60_000))
  if (minutes < 1) return 'just now'
  if (minutes < 60) return minutes === 1 ? 'a minute ago' : `${minutes} minutes ago`
  const hours = Math.round(minutes / 60)
  if (hours < 24) return hours === 1 ? 'an hour ago' : `${hours} hours ago`
  return `on ${dayText(atMs)}`
}

/** Day in a `time` element. */
export function Day({ at }: { at: number }) {
  return (
    <time dateTime={dayOf(at)} className="whitespace-nowrap tabular-nums">
      {dayText(at)}
    </time>
  )
}

/** Moment in UTC in a `time` element: `14 May 2026, 09:12`. In a narrow column the time wraps below. */
export function Moment({ at }: { at: number }) {
  const iso = new Date(at).toISOString()
  return (
    <time dateTime={iso} className="tabular-nums">
      <span className="whitespace-nowrap">{dayText(at)},</span>{' '}
      <span className="whitespace-nowrap">{iso.slice(11, 16)}</span>
    </time>
  )
}
