'use client'

import { useEffect, useRef, useState } from 'react'
import { later } from '#components/ui/later.tsx'
import { whenFreshSignInIsRequired } from '#lib/platform/api/client.ts'

// Each screen has it, and few ask.
const ConfirmDialog = later(() => import('./confirm-dialog.tsx').then(({ ConfirmDialog }) => ConfirmDialog))

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
  return <ConfirmDialog email={email} settle={settle} />
}
