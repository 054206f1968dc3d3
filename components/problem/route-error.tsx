'use client'

import { useRouter } from 'next/navigation'
import { startTransition } from 'react'
import { PageError } from '#components/ui/page-error.tsx'

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
  return <PageError digest={error.digest} onRetry={retry} />
}
