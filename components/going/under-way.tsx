'use client'

import { usePathname } from 'next/navigation'
import { createContext, type ReactNode, useContext, useEffect, useLayoutEffect, useOptimistic } from 'react'
import { type Begun, onBegun } from './begun.ts'
import { titleOf } from './titles.ts'

const Going = createContext<Begun | undefined>(undefined)

/**
 * Knows where the console is going: from the moment of a click until the page has come, or will not. The tab's title
 * changes at once. It stands around the frame and the page, which outlast each other.
 */
export function UnderWay({ children }: { children: ReactNode }) {
  const path = usePathname()
  // Set within the router's own transition, and so gone with it, whatever becomes of it.
  const [begun, setBegun] = useOptimistic<Begun | undefined>(undefined)
  useEffect(() => onBegun(setBegun), [setBegun])
  // Another view of the same screen: its rows stay until the new ones are there.
  const going = begun && begun.path !== path ? begun : undefined
  useTitle(going && titleOf(going.path), path)
  return <Going value={going}>{children}</Going>
}

/** Where the console is going; undefined while it stays on its screen. */
export function useGoing(): Begun | undefined {
  return useContext(Going)
}

function useTitle(title: string | undefined, path: string): void {
  useLayoutEffect(() => {
    if (title === undefined) return
    const [before, meanwhile] = [document.title, `${title} · Licenses & Invoices`]
    document.title = meanwhile
    return () => {
      // It did not come to it: the page that stays has the title that it had.
      if (location.pathname === path && document.title === meanwhile) document.title = before
    }
  }, [title, path])
}
