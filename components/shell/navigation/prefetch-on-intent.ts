import { useRouter } from 'next/navigation'
import { useEffect } from 'react'
import { noteFetched, noteLoaded } from './fetched.ts'
import { titleOf } from './titles.ts'

/** Milliseconds of focus before a prefetch: passing a link by Tab or `j` is not an intent. */
const FOCUS_DELAY_MS = 250

/**
 * Prefetches the page behind a link on pointerdown, or when the keyboard focus stays on it: the click comes a tenth of
 * a second later. Links that are only visible are not prefetched.
 */
export function usePrefetchOnIntent(): void {
  const router = useRouter()
  useEffect(() => {
    noteLoaded(location.pathname + location.search)
    let timer: ReturnType<typeof setTimeout> | undefined
    const fetchPage = (href: string) => {
      noteFetched(href)
      // The full page: its loading state has no content to show. The type is an enum that is not exported.
      router.prefetch(href, { kind: 'full' } as Parameters<typeof router.prefetch>[1])
    }
    const onDown = (event: PointerEvent) => {
      const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey
      const href = isPlain ? screenBehind(event.target) : undefined
      if (href !== undefined) fetchPage(href)
    }
    const onFocus = ({ target }: FocusEvent) => {
      clearTimeout(timer)
      const isByKeyboard = target instanceof Element && target.matches(':focus-visible')
      const href = isByKeyboard ? screenBehind(target) : undefined
      if (href !== undefined) timer = setTimeout(() => fetchPage(href), FOCUS_DELAY_MS)
    }
    document.addEventListener('pointerdown', onDown)
    document.addEventListener('focusin', onFocus)
    return () => {
      clearTimeout(timer)
      document.removeEventListener('pointerdown', onDown)
      document.removeEventListener('focusin', onFocus)
    }
  }, [router])
}

/** Returns the address of another console screen that a link leads to; undefined for files and other pages. */
function screenBehind(target: EventTarget | null): string | undefined {
  const link = target instanceof Element ? target.closest('a') : null
  if (!link || link.target || link.download || link.origin !== location.origin) return undefined
  const isOther = link.pathname !== location.pathname && titleOf(link.pathname) !== undefined
  return isOther ? link.pathname + link.search : undefined
}
