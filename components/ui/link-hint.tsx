'use client'

import { useLinkStatus } from 'next/link'
import { Spinner } from './spinner.tsx'

/** Inside a link: turns while the page behind it is awaited, once that lasts. */
export function LinkHint() {
  const { pending } = useLinkStatus()
  if (!pending) return null
  return (
    <span className="appear-late mx-1 inline-block align-middle">
      <Spinner />
    </span>
  )
}
