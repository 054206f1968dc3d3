import { dayText } from '#lib/platform/values/days.ts'

/** A moment in UTC, readable by machines too: `14 May 2026, 09:12`. In a narrow column its time comes below. */
export function Moment({ at }: { at: number }) {
  const iso = new Date(at).toISOString()
  return (
    <time dateTime={iso} className="tabular-nums">
      <span className="whitespace-nowrap">{dayText(at)},</span>{' '}
      <span className="whitespace-nowrap">{iso.slice(11, 16)}</span>
    </time>
  )
}
