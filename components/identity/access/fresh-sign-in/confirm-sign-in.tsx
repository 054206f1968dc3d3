'use client'

import { useEffect, useRef, useState } from 'react'
import { lazyWithPreload } from '#components/ui/lazy-with-preload.tsx'
import { whenFreshSignInIsRequired } from '#lib/platform/api/client.ts'

// Each screen has it, and few ask.
const ConfirmDialog = lazyWithPreload(() =>
  import('./confirm-dialog.tsx').then(({ ConfirmDialog }) => ConfirmDialog),
)

type Resolve = (isConfirmed: boolean) => void

/**
 * Asks the member to prove who they are, whenever a call of the console is refused for want of a fresh sign-in. Calls that
 * are refused meanwhile wait for the same answer.
 */
export function ConfirmSignIn({ email }: { email: string }) {
  const [isOpen, setIsOpen] = useState(false)
  const waiting = useRef<Resolve[]>([])
  useEffect(
    () =>
      whenFreshSignInIsRequired(() => {
        setIsOpen(true)
        return new Promise((resolve) => waiting.current.push(resolve))
      }),
    [],
  )
  if (!isOpen) return null
  const close: Resolve = (isConfirmed) => {
    setIsOpen(false)
    for (const resolve of waiting.current.splice(0)) resolve(isConfirmed)
  }
  return <ConfirmDialog email={email} onClose={close} />
}
