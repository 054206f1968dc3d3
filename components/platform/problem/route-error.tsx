'use client'

import { useRouter } from 'next/navigation'
import { startTransition } from 'react'
import { lazyWithPreload } from '#components/ui/lazy-with-preload.tsx'

// Pages stand ready on every screen to say that one failed: what they say comes when it is needed.
const UnexpectedErrorPage = lazyWithPreload(
  () =>
    import('#components/ui/unexpected-error-page.tsx').then(({ UnexpectedErrorPage }) => UnexpectedErrorPage),
  () => <p className="p-6 text-center">This page could not be shown.</p>,
)

/** What Next gives the page that stands in for one that failed. */
export type Failure = { error: Error & { digest?: string }; reset: () => void }

/** A page that failed, with the way to ask the server for it again. */
export function RouteError({ error, reset }: Failure) {
  const router = useRouter()
  const retry = () =>
    startTransition(() => {
      router.refresh()
      reset()
    })
  return <UnexpectedErrorPage digest={error.digest} onRetry={retry} />
}
