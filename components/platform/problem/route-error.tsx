'use client'

import { useRouter } from 'next/navigation'
import { startTransition } from 'react'
import { lazyWithPreload } from '#components/ui/lazy-with-preload.tsx'

// Every screen preloads its error page: the text of the error is loaded when needed.
const UnexpectedErrorPage = lazyWithPreload(
  () =>
    import('#components/ui/unexpected-error-page.tsx').then(({ UnexpectedErrorPage }) => UnexpectedErrorPage),
  () => <p className="p-6 text-center">This page could not be shown.</p>,
)

/** Props that Next passes to an error page. */
export type Failure = { error: Error & { digest?: string }; reset: () => void }

/** Page for an error, with a button that asks the server again. */
export function RouteError({ error, reset }: Failure) {
  const router = useRouter()
  const retry = () =>
    startTransition(() => {
      router.refresh()
      reset()
    })
  return <UnexpectedErrorPage digest={error.digest} onRetry={retry} />
}
