'use client'

import { type ReactNode, useEffect, useState } from 'react'
import { PageHeader } from '#components/ui/page-header.tsx'
import { RowsWaiting } from '#components/ui/skeleton.tsx'
import { pathOf, usePendingNavigation } from './navigation-provider.tsx'
import { titleOf } from './titles.ts'

/** Milliseconds for which the previous page stays visible: a page that loads sooner appears without a flicker. */
const SKELETON_AFTER_MS = 75

/** The page; and while the next one is awaited for long, its title and a skeleton in its place. */
export function Content({ children }: { children: ReactNode }) {
  const awaited = useAwaited()
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

/** The title of the page that has been awaited for long. Back goes without it: the browser puts its place back by itself. */
function useAwaited(): string | undefined {
  const pending = usePendingNavigation()
  const [delayed, setDelayed] = useState<typeof pending>()
  useEffect(() => {
    if (!pending || pending.isBack) return
    const timer = setTimeout(() => setDelayed(pending), pending.at + SKELETON_AFTER_MS - performance.now())
    return () => clearTimeout(timer)
  }, [pending])
  return pending && pending === delayed ? titleOf(pathOf(pending.href)) : undefined
}
