'use client'

import { usePathname } from 'next/navigation'
import { useEffect, useRef } from 'react'

/** The path whose title had its turn; undefined while the page that was loaded as a whole is shown. */
let focusedPath: string | undefined
/** Whether it has the focus on the path that was reached, by our hand. */
let isFocusedByApp = false

/**
 * The heading of a page. Who comes by a link within the console has the focus here: what was pressed is gone, and a screen
 * reader would begin at the very top. A page that was loaded as a whole leaves the focus to the browser.
 */
export function PageTitle({ children, className = '' }: { children: string; className?: string }) {
  const path = usePathname()
  const title = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (focusedPath !== path) {
      isFocusedByApp = focusedPath !== undefined && !isFocusElsewhere()
      focusedPath = path
    }
    // Of the same page once more, it came in the place of its own skeleton: what had the focus has gone with that.
    else if (document.activeElement !== document.body) return
    if (isFocusedByApp) title.current?.focus({ preventScroll: true })
  }, [path])
  return (
    <h1 ref={title} tabIndex={-1} className={`rounded-sm text-title ${className}`}>
      {children}
    </h1>
  )
}

/** Whether the page has given the focus to something of its own, or a dialog holds it. */
function isFocusElsewhere(): boolean {
  const at = document.activeElement
  return at?.matches('input, select, textarea, dialog *, [role="alert"] *') ?? false
}
