'use client'

import { type ReactNode, useEffect, useState } from 'react'
import { PageHeader } from '#components/ui/page-header.tsx'
import { RowsWaiting } from '#components/ui/skeleton.tsx'
import { pathOf, usePendingNavigation } from './navigation-provider.tsx'
import { titleOf } from './titles.ts'

/** Milliseconds for which the previous page stays visible: a page that loads sooner appears without a flicker. */
const SKELETON_AFTER_MS = 75

/** Page content; during a long navigation, the next page's title and a skeleton instead. */
export function Content({ children }: { children: ReactNode }) {
  const awaited = useDelayedTitle()
  return (
    <>
      {awaited === undefined ? null : (
        <>
          <PageHeader title={awaited} />
          <RowsWaiting now />
        </>
      )}
      {/* Hidden, not unmounted: a cancelled navigation shows the page again with its state. */}
      <div className={awaited === undefined ? 'contents' : 'hidden'}>{children}</div>
    </>
  )
}

/**
 * Returns the title of a page that has been loading for long. Not for Back, because the browser restores the scroll
 * position itself.
 */
function useDelayedTitle(): string | undefined {
  const pending = usePendingNavigation()
  const [delayed, setDelayed] = useState<typeof pending>()
  useEffect(() => {
    if (!pending || pending.isBack) return
    const timer = setTimeout(() => setDelayed(pending), pending.at + SKELETON_AFTER_MS - performance.now())
    return () => clearTimeout(timer)
  }, [pending])
  return pending && pending === delayed ? titleOf(pathOf(pending.href)) : undefined
}
