'use client'

import { useRouter } from 'next/navigation'
import { lazy, Suspense, startTransition } from 'react'

// Every screen loads this file: the text of the error is loaded when needed. If that fails, Next shows the global error.
const UnexpectedErrorPage = lazy(() =>
  import('#components/ui/unexpected-error-page.tsx').then((part) => ({ default: part.UnexpectedErrorPage })),
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
  return (
    <Suspense fallback={<p className="p-6 text-center">This page could not be shown.</p>}>
      <UnexpectedErrorPage digest={error.digest} onRetry={retry} />
    </Suspense>
  )
}
