'use client'

import { type ReactNode, useEffect, useState } from 'react'
import { PageHead } from '#components/ui/page-head.tsx'
import { RowsWaiting } from '#components/ui/skeleton.tsx'
import { titleOf } from './titles.ts'
import { pathOf, useGoing } from './under-way.tsx'

/** So long the page that is left stays in sight, in milliseconds: what is there sooner comes without a flicker. */
const PATIENCE = 75

/** The page; and while the next one is awaited for long, its title and a skeleton in its place. */
export function Content({ children }: { children: ReactNode }) {
  const awaited = useAwaited()
  return (
    <>
      {awaited === undefined ? null : (
        <>
          <PageHead title={awaited} />
          <RowsWaiting now />
        </>
      )}
      {/* It stays as it is, for whoever is led back to it. */}
      <div className={awaited === undefined ? 'contents' : 'hidden'}>{children}</div>
    </>
  )
}

/** The title of the page that has been awaited for long. Back goes without it: the browser puts its place back by itself. */
function useAwaited(): string | undefined {
  const going = useGoing()
  const [late, setLate] = useState<typeof going>()
  useEffect(() => {
    if (!going || going.isBack) return
    const timer = setTimeout(() => setLate(going), going.at + PATIENCE - performance.now())
    return () => clearTimeout(timer)
  }, [going])
  return going && going === late ? titleOf(pathOf(going.href)) : undefined
}
