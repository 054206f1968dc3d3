'use client'

import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { whenFreshSignInIsRequired } from '#lib/api/client.ts'

// Each screen has it, and few ask: it comes when it is asked for.
const ConfirmDialog = lazy(() =>
  import('./confirm-dialog.tsx').then((module) => ({ default: module.ConfirmDialog })),
)

type Settle = (isConfirmed: boolean) => void

/**
 * Asks the member to prove who they are, whenever a call of the console is refused for want of a fresh sign-in. Calls that
 * are refused meanwhile wait for the same answer.
 */
export function ConfirmSignIn({ email }: { email: string }) {
  const [isAsked, setAsked] = useState(false)
  const waiting = useRef<Settle[]>([])
  useEffect(
    () =>
      whenFreshSignInIsRequired(() => {
        setAsked(true)
        return new Promise((resolve) => waiting.current.push(resolve))
      }),
    [],
  )
  if (!isAsked) return null
  const settle: Settle = (isConfirmed) => {
    setAsked(false)
    for (const resolve of waiting.current.splice(0)) resolve(isConfirmed)
  }
  return (
    <Suspense>
      <ConfirmDialog email={email} settle={settle} />
    </Suspense>
  )
}
