'use client'

import { Fragment } from 'react'
import { useHydrated } from '#components/ui/hydrated.ts'
import { clockText } from './wait-text.ts'

/** Expected time in the user's time zone; in UTC until hydration. */
export function ClockTime({ at }: { at: number }) {
  const zone = useHydrated() ? undefined : 'UTC'
  return (
    <time dateTime={new Date(at).toISOString()} className="tabular-nums">
      {clockText(at, Date.now(), zone)
        .split(/(?<=,) /)
        .map((part, index) => (
          <Fragment key={part}>
            {index > 0 ? ' ' : ''}
            <span className="whitespace-nowrap">{part}</span>
          </Fragment>
        ))}
    </time>
  )
}
