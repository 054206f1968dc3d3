'use client'

import { usePathname, useRouter } from 'next/navigation'
import { useOffline } from 'next/offline'
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
import { OfflineNote } from './offline-note.tsx'
import { onNavigationStart, type PendingNavigation } from './pending-navigation.ts'
import { titleOf } from './titles.ts'
import { useScrollPosition } from './use-scroll-position.ts'

const PendingContext = createContext<PendingNavigation | undefined>(undefined)

/**
 * Provides the pending navigation: from a click until the page has loaded or the navigation was cancelled. Changes the
 * tab's title immediately. Without a connection, the present page stays until the connection is back. Wraps the frame
 * and the page, because either can outlast the other.
 */
export function NavigationProvider({ children }: { children: ReactNode }) {
  const path = usePathname()
  const isOffline = useOffline()
  // Optimistic state within the router's transition: reset when the transition ends, in any way.
  const [started, setStarted] = useOptimistic<PendingNavigation | undefined>(undefined)
  const isStale = useRef(false)
  const noteStart = useScrollPosition(started, path)
  useEffect(
    () =>
      onNavigationStart((next) => {
        noteStart(next)
        isStale.current = isOld(next.href)
        setStarted(next)
      }),
    [noteStart, setStarted],
  )
  useRenewal(isStale, path)
  // Another view of the same screen: the present rows stay until the new ones have loaded.
  const awaited = started && pathOf(started.href) !== path ? started : undefined
  const pending = isOffline ? undefined : awaited
  useTitle(pending && titleOf(pathOf(pending.href)), path)
  return (
    <PendingContext value={pending}>
      {children}
      <OfflineNote isOffline={isOffline} pendingPath={started && pathOf(started.href)} />
    </PendingContext>
  )
}

/** Returns the pending navigation; undefined while there is none to another screen. */
export function usePendingNavigation(): PendingNavigation | undefined {
  return useContext(PendingContext)
}

/** Returns the path of an address, without its query string. */
export function pathOf(href: string): string {
  return new URL(href, location.href).pathname
}

/** Refreshes a page that was prefetched a while ago as soon as it is shown (stale-while-revalidate). */
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
      // The navigation was cancelled: restore the title of the page that stays.
      if (location.pathname === path && document.title === loadingTitle) document.title = before
    }
  }, [title, path])
}
