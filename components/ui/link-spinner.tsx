'use client'

import { useLinkStatus } from 'next/link'
import type { ReactNode } from 'react'
import { Spinner } from './spinner.tsx'

/**
 * Inside a link: turns while the page behind it is awaited, once that lasts. It takes no room of its own, so that nothing
 * beside it moves: it hangs over what follows, or with `children` stands in their place.
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
