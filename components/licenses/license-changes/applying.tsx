'use client'

import { useEffect, useRef, useState } from 'react'
import { Spinner } from '#components/ui/spinner.tsx'

const LONG_MS = 4000

/** Replaces the control while the vendor processes a change. Takes the focus, so that it is not lost. */
export function Applying() {
  const status = useRef<HTMLSpanElement>(null)
  const [isLong, setLong] = useState(false)
  useEffect(() => {
    status.current?.focus()
    const timer = setTimeout(() => setLong(true), LONG_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <span
      ref={status}
      role="status"
      tabIndex={-1}
      className="inline-flex min-h-8 items-center gap-2 rounded-sm text-sm max-md:min-h-10"
    >
      <Spinner />
      {isLong ? 'Confirming with the vendor…' : 'Applying…'}
    </span>
  )
}
