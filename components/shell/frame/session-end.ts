import { useEffect } from 'react'
import { IDLE_SECONDS } from '#lib/platform/caller/rules.ts'

/** A little longer than a session lives without use. In milliseconds. */
const AFTER = (IDLE_SECONDS + 5) * 1000
const USES = ['pointerdown', 'keydown', 'wheel'] as const

/**
 * Leads to the sign-in page when the session has ended for want of use, so that what it showed does not stay on screen
 * for whoever comes by. Only a page that nobody has touched for so long asks: where another one was used meanwhile, the
 * session goes on, and so does this page.
 */
export function useSessionEnd(): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const wait = () => {
      clearTimeout(timer)
      timer = setTimeout(ask, AFTER)
    }
    const ask = async () => {
      const { status } = await fetch('/auth/v1/validate').catch(() => ({ status: 0 }))
      // Where nobody answers, nobody says either that it still lives.
      const isOver = status === 401 || status === 0
      if (isOver) location.assign(`/sign-in?from=${encodeURIComponent(location.pathname + location.search)}`)
      else wait()
    }
    wait()
    for (const use of USES) addEventListener(use, wait, { passive: true })
    return () => {
      clearTimeout(timer)
      for (const use of USES) removeEventListener(use, wait)
    }
  }, [])
}
