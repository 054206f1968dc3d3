'use client'

import { Fragment } from 'react'
import { useHydrated } from '#components/ui/hydrated.ts'
import { clockText } from './wait-text.ts'

/** A moment that somebody waits for, by their own clock; in UTC until the browser has taken the page over. */
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
