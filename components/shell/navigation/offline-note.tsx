import { useEffect, useState } from 'react'
import { titleOf } from './titles.ts'

/**
 * Notice during a lost connection, in which Next holds its own navigations. This component holds the links that the
 * browser follows, because they would replace the console by the browser's error page; the last one opens when the
 * connection is back. Links to a new tab or window are left to the browser.
 * @param pendingPath path of the screen that Next waits for
 */
export function OfflineNote({
  isOffline,
  pendingPath,
}: {
  isOffline: boolean
  pendingPath: string | undefined
}) {
  const [waitingLink, setWaitingLink] = useState<HTMLAnchorElement>()
  useEffect(() => {
    if (!isOffline) {
      waitingLink?.click()
      return setWaitingLink(undefined)
    }
    const hold = (event: MouseEvent) => {
      const link = event.target instanceof Element ? event.target.closest('a') : null
      if (link?.origin !== location.origin || link.hash !== '' || opensElsewhere(event, link)) return
      // React has seen the click before, and has prevented the browser's navigation for Next's links.
      setWaitingLink(event.defaultPrevented ? undefined : link)
      event.preventDefault()
    }
    addEventListener('click', hold)
    return () => removeEventListener('click', hold)
  }, [isOffline, waitingLink])
  if (!isOffline) return null
  const path = waitingLink?.pathname ?? pendingPath
  return (
    <p
      role="status"
      className="appear fixed inset-x-4 top-4 z-50 mx-auto max-w-md rounded-card border border-line-2 bg-surface px-4 py-2.5 shadow-float print:hidden"
    >
      You’re offline.
      {path ? ` ${waitingText(path, waitingLink)} when the connection is back.` : null}
    </p>
  )
}

function opensElsewhere({ ctrlKey, metaKey, shiftKey }: MouseEvent, { target }: HTMLAnchorElement): boolean {
  return ctrlKey || metaKey || shiftKey || target === '_blank'
}

function waitingText(path: string, waitingLink: HTMLAnchorElement | undefined): string {
  const isDownload = waitingLink?.hasAttribute('download') || path.startsWith('/billing/')
  return isDownload ? 'Your download starts' : `${titleOf(path) ?? 'The page'} opens`
}
