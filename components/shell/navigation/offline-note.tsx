import { useEffect, useRef, useState } from 'react'
import { titleOf } from './titles.ts'

/**
 * Notice during a lost connection, in which Next holds its own navigations. This component holds the links that the
 * browser follows, because they would replace the console by the browser's error page.
 * @param pendingPath path of the screen that Next waits for
 */
export function OfflineNote({
  isOffline,
  pendingPath,
}: {
  isOffline: boolean
  pendingPath: string | undefined
}) {
  const waiting = useRef<HTMLAnchorElement>(undefined)
  const [waitingPath, setWaitingPath] = useState<string>()
  useEffect(() => {
    if (!isOffline) return
    const hold = (event: MouseEvent) => {
      const link = event.target instanceof Element ? event.target.closest('a') : null
      if (link?.origin !== location.origin || link.hash !== '') return
      // React has seen the click before, and has prevented the browser's navigation for Next's links.
      waiting.current = event.defaultPrevented ? undefined : link
      setWaitingPath(waiting.current?.pathname)
      event.preventDefault()
    }
    addEventListener('click', hold)
    return () => {
      removeEventListener('click', hold)
      waiting.current?.click()
      waiting.current = undefined
      setWaitingPath(undefined)
    }
  }, [isOffline])
  if (!isOffline) return null
  const path = waitingPath ?? pendingPath
  const title = path && titleOf(path)
  return (
    <p
      role="status"
      className="appear fixed inset-x-4 top-4 z-50 mx-auto max-w-md rounded-card border border-line-2 bg-surface px-4 py-2.5 shadow-float print:hidden"
    >
      You’re offline.
      {path ? ` ${title ? `${title} opens` : 'Your download starts'} when the connection is back.` : null}
    </p>
  )
}
