'use client'

import { useEffect, useRef, useState } from 'react'
import { lazyWithPreload } from '#components/ui/lazy-with-preload.tsx'
import { whenFreshSignInIsRequired } from '#lib/platform/api/client.ts'

// Loaded lazily: each screen has it, and few need it.
const ConfirmDialog = lazyWithPreload(() =>
  import('./confirm-dialog.tsx').then(({ ConfirmDialog }) => ConfirmDialog),
)

type Resolve = (isConfirmed: boolean) => void

/**
 * Opens a dialog whenever the API refuses a console call for want of a fresh sign-in. Calls refused in the meantime
 * wait for the same dialog.
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
