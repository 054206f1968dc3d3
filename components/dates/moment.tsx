import { dayText } from './day.tsx'

/** A moment in UTC from epoch milliseconds: `14 May 2026, 09:12`. */
function momentText(epochMs: number): string {
  return `${dayText(epochMs)}, ${new Date(epochMs).toISOString().slice(11, 16)}`
}

/** A moment in UTC, readable by machines too. */
export function Moment({ at }: { at: number }) {
  return (
    <time dateTime={new Date(at).toISOString()} className="whitespace-nowrap tabular-nums">
      {momentText(at)}
    </time>
  )
}
