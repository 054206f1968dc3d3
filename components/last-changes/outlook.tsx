'use client'

import { ClockTime } from '#components/waits/clock-time.tsx'
import { useWaiting } from '#components/waits/use-waiting.ts'

/** By when the outcome of an open change is known; `label` is the vendor's name for people. */
export function Outlook({ label, knownBy }: { label: string; knownBy: number | undefined }) {
  const isToCome = useWaiting(knownBy)
  if (knownBy === undefined) return null
  return isToCome ? (
    <>
      {label} will have told us by <ClockTime at={knownBy} />.
    </>
  ) : (
    <>{label} takes longer than usual to tell us. We go on asking.</>
  )
}
