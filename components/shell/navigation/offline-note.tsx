import { useEffect, useState } from 'react'
import { titleOf } from './titles.ts'

/**
 * Notice during a lost connection, in which Next holds its own navigations. This component holds the links that the
 * browser follows, because they would replace the console by the browser's error page; when the connection is back, all
 * downloads start, and the last page opens. Links to a new tab or window are left to the browser.
 * @param pendingPath path of the page that Next waits for
 */
export function OfflineNote({
  isOffline,
  pendingPath,
}: {
  isOffline: boolean
  pendingPath: string | undefined
}) {
  const [waitingLinks, setWaitingLinks] = useState<readonly HTMLAnchorElement[]>([])
  useEffect(() => {
    if (!isOffline) {
      for (const link of waitingLinks) link.click()
      return setWaitingLinks((links) => (links.length > 0 ? [] : links))
    }
    const hold = (event: MouseEvent) => {
      const link = event.target instanceof Element ? event.target.closest('a') : null
      if (link?.origin !== location.origin || link.hash !== '' || opensElsewhere(event, link)) return
      // React has seen the click before, and has prevented the browser's navigation for Next's links.
      const isNext = event.defaultPrevented
      setWaitingLinks((links) => [
        // A menu that is opened again has other elements for the same files.
        ...links.filter((one) => one.href !== link.href && isDownload(one)),
        ...(isNext ? [] : [link]),
      ])
      event.preventDefault()
    }
    addEventListener('click', hold)
    return () => removeEventListener('click', hold)
  }, [isOffline, waitingLinks])
  if (!isOffline) return null
  const downloads = waitingLinks.filter(isDownload)
  const path = waitingLinks.find((link) => !isDownload(link))?.pathname ?? pendingPath
  const waiting = [
    ...(path ? [`${titleOf(path) ?? 'The page'} opens`] : []),
    ...(downloads.length > 0
      ? [`${path ? 'your' : 'Your'} ${downloads.length > 1 ? 'downloads start' : 'download starts'}`]
      : []),
  ]
  return (
    <p
      role="status"
      className="appear fixed inset-x-4 top-4 z-50 mx-auto max-w-md rounded-card border border-line-2 bg-surface px-4 py-2.5 shadow-float print:hidden"
    >
      You’re offline.
      {waiting.length > 0 ? ` ${waiting.join(', and ')} when the connection is back.` : null}
    </p>
  )
}

function opensElsewhere({ ctrlKey, metaKey, shiftKey }: MouseEvent, { target }: HTMLAnchorElement): boolean {
  return ctrlKey || metaKey || shiftKey || target === '_blank'
}

function isDownload(link: HTMLAnchorElement): boolean {
  return link.hasAttribute('download') || link.pathname.startsWith('/billing/')
}
