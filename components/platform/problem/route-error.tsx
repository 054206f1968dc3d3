'use client'

import { useRouter } from 'next/navigation'
import { lazy, Suspense, startTransition } from 'react'

// Every screen loads this file: the text of the error is loaded when needed. If that fails, too, such as without a
// connection or after a new release, the frame stays, with a sentence in the place of the page.
const UnexpectedErrorPage = lazy(() =>
  import('#components/ui/unexpected-error-page.tsx').then(
    (part) => ({ default: part.UnexpectedErrorPage }),
    () => ({ default: ShortError }),
  ),
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
    <Suspense fallback={<ShortError />}>
      <UnexpectedErrorPage digest={error.digest} onRetry={retry} />
    </Suspense>
  )
}

function ShortError(_props: object) {
  return <p className="p-6 text-center">This page could not be shown. Reload the page to try again.</p>
}
