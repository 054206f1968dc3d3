'use client'

import { ClockTime } from '#components/platform/waits/clock-time.tsx'
import { useWaiting } from '#components/platform/waits/use-waiting.ts'

/**
 * Shows by when the outcome of an open change is known.
 * @param label the vendor's display name; undefined where it is shown nearby already
 */
export function PendingStatus({ label, knownBy }: { label?: string; knownBy: number | undefined }) {
  const isToCome = useWaiting(knownBy)
  if (knownBy === undefined) return null
  return isToCome ? (
    <>
      We expect to know{label ? ` from ${label}` : ''} by <ClockTime at={knownBy} />.
    </>
  ) : (
    <>{label ? `${label} takes` : 'It takes'} longer than usual to answer. We go on asking.</>
  )
}
