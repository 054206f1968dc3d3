'use client'

import { usePathname, useRouter } from 'next/navigation'
import {
  createContext,
  type ReactNode,
  useContext,
  useEffect,
  useLayoutEffect,
  useOptimistic,
  useRef,
} from 'react'
import { forgetFetched, isOld } from './fetched.ts'
import { onNavigationStart, type PendingNavigation } from './pending-navigation.ts'
import { titleOf } from './titles.ts'

const PendingContext = createContext<PendingNavigation | undefined>(undefined)

/**
 * Knows where the console is going: from the moment of a click until the page has come, or will not. The tab's title
 * changes at once. It stands around the frame and the page, which outlast each other.
 */
export function NavigationProvider({ children }: { children: ReactNode }) {
  const path = usePathname()
  // Set within the router's own transition, and so gone with it, whatever becomes of it.
  const [started, setStarted] = useOptimistic<PendingNavigation | undefined>(undefined)
  const isStale = useRef(false)
  useEffect(
    () =>
      onNavigationStart((next) => {
        isStale.current = isOld(next.href)
        setStarted(next)
      }),
    [setStarted],
  )
  useRenewal(isStale, path)
  // Another view of the same screen: its rows stay until the new ones are there.
  const pending = started && pathOf(started.href) !== path ? started : undefined
  useTitle(pending && titleOf(pathOf(pending.href)), path)
  return <PendingContext value={pending}>{children}</PendingContext>
}

/** Where the console is going; undefined while it stays on its screen. */
export function usePendingNavigation(): PendingNavigation | undefined {
  return useContext(PendingContext)
}

/** Where the console is going, without a query string. */
export function pathOf(href: string): string {
  return new URL(href, location.href).pathname
}

/** A page that was fetched ahead a while ago is shown as it was then, and at once read anew. */
function useRenewal(isStale: { current: boolean }, path: string): void {
  const router = useRouter()
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever another page has come
  useEffect(() => {
    if (!isStale.current) return
    isStale.current = false
    forgetFetched()
    router.refresh()
  }, [path])
}

function useTitle(title: string | undefined, path: string): void {
  useLayoutEffect(() => {
    if (title === undefined) return
    const [before, loadingTitle] = [document.title, `${title} · Licenses & Invoices`]
    document.title = loadingTitle
    return () => {
      // It did not come to it: the page that stays has the title that it had.
      if (location.pathname === path && document.title === loadingTitle) document.title = before
    }
  }, [title, path])
}
