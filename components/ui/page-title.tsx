'use client'

import { usePathname } from 'next/navigation'
import { useEffect, useRef } from 'react'

/** Path whose title was focused or skipped last; undefined before the first navigation. */
let focusedPath: string | undefined
/** Whether the heading was focused by this component on the present path. */
let isFocusedByApp = false

/**
 * Heading of a page. Takes the focus after a navigation within the console: the pressed link is gone, and a screen
 * reader would start at the very top. After a full page load the browser decides on the focus.
 */
export function PageTitle({ children, className = '' }: { children: string; className?: string }) {
  const path = usePathname()
  const title = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (focusedPath !== path) {
      isFocusedByApp = focusedPath !== undefined && !isFocusElsewhere()
      focusedPath = path
    }
    // The same page again: its heading replaced its own skeleton, whose focused element is gone.
    else if (document.activeElement !== document.body) return
    if (isFocusedByApp) title.current?.focus({ preventScroll: true })
  }, [path])
  return (
    <h1 ref={title} tabIndex={-1} className={`rounded-sm text-title ${className}`}>
      {children}
    </h1>
  )
}

/** Returns whether the page has focused one of its own elements, or a dialog has the focus. */
function isFocusElsewhere(): boolean {
  const at = document.activeElement
  return at?.matches('input, select, textarea, dialog *, [role="alert"] *') ?? false
}
