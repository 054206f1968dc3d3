'use client'

import { useLinkStatus } from 'next/link'
import type { ReactNode } from 'react'
import { Spinner } from './spinner.tsx'

/**
 * Spinner inside a link while its page is loading, after a short delay. It takes no room, so that nothing next to it
 * moves: it overlaps the following content, or replaces `children`.
 */
export function LinkSpinner({ children }: { children?: ReactNode }) {
  const { pending } = useLinkStatus()
  if (children === undefined) {
    return pending ? (
      <span className="appear-late inline-block w-0 align-middle whitespace-nowrap">
        <span className="ml-1 inline-grid">
          <Spinner />
        </span>
      </span>
    ) : null
  }
  return (
    <span className="relative">
      {children}
      {pending ? (
        <span className="appear-late absolute inset-0 grid place-items-center bg-surface">
          <Spinner />
        </span>
      ) : null}
    </span>
  )
}
