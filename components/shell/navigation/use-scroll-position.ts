import { useCallback, useEffect, useLayoutEffect, useRef } from 'react'
import type { PendingNavigation } from './pending-navigation.ts'

/** Scroll positions in this tab, by address. */
const positions = new Map<string, number>()
const INPUTS = ['wheel', 'touchmove', 'keydown', 'pointerdown'] as const

/**
 * Restores the scroll position on Back and Forward. The browser does so before React has rendered the page, which is
 * shorter at that moment, and ends at its top.
 * @param pending the navigation that is under way; a page that is cached comes without one
 * @param path of the rendered page
 * @returns a function to call at the start of each navigation
 */
export function useScrollPosition(
  pending: PendingNavigation | undefined,
  path: string,
): (navigation: PendingNavigation) => void {
  /** Address of the rendered page, and its last position while no navigation was under way. */
  const page = useRef({ href: '', top: 0, isLeaving: false, isBack: false })
  useEffect(() => {
    const onScroll = () => {
      if (!page.current.isLeaving) page.current.top = window.scrollY
    }
    window.addEventListener('scroll', onScroll, { passive: true })
    return () => window.removeEventListener('scroll', onScroll)
  }, [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever another page has come
  useLayoutEffect(() => {
    if (pending) return
    const { isBack } = page.current
    const href = location.pathname + location.search
    page.current = {
      href,
      top: isBack ? (positions.get(href) ?? 0) : window.scrollY,
      isLeaving: false,
      isBack: false,
    }
    return isBack ? scrollWhenTallEnough(page.current.top) : undefined
  }, [pending, path])
  return useCallback(({ isBack }: PendingNavigation) => {
    const { href, top } = page.current
    // Back has moved the page already where the browser restores its position first.
    positions.set(href, isBack ? top : window.scrollY)
    page.current = { ...page.current, isLeaving: true, isBack }
  }, [])
}

/** Scrolls as soon as the page has the height for it, because rows may stream in, unless the user scrolls before. */
function scrollWhenTallEnough(top: number): () => void {
  const observer = new ResizeObserver(() => {
    window.scrollTo({ top, behavior: 'instant' })
    if (window.scrollY >= top - 1) end()
  })
  const end = () => {
    observer.disconnect()
    for (const input of INPUTS) window.removeEventListener(input, end)
  }
  for (const input of INPUTS) window.addEventListener(input, end, { passive: true })
  window.scrollTo({ top, behavior: 'instant' })
  observer.observe(document.body)
  return end
}
