'use client'

import { type ReactNode, useEffect, useRef } from 'react'
import { Button } from './button.tsx'

/** A secret, the only time that it can be seen: `says` what to do with it, and `children` show it, to be copied. */
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
  // The form that had the focus is gone.
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
