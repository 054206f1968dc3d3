'use client'

import { type ReactNode, useEffect, useRef } from 'react'
import { Button } from './button.tsx'

/**
 * Secret that is shown only once: `instructions` are for the user, and `children` show the secret, with a copy button.
 */
export function SecretOnce({
  instructions,
  onDone,
  children,
}: {
  instructions: string
  onDone: () => void
  children: ReactNode
}) {
  const panel = useRef<HTMLDivElement>(null)
  // The focused form is gone.
  useEffect(() => panel.current?.focus(), [])
  return (
    <div ref={panel} tabIndex={-1} className="mt-3 grid gap-4 outline-none">
      <p className="text-ink-2">{instructions}</p>
      {children}
      <div className="flex justify-end">
        <Button variant="primary" onClick={onDone}>
          Done
        </Button>
      </div>
    </div>
  )
}
