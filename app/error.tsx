'use client'

import { useRouter } from 'next/navigation'
import { startTransition } from 'react'
import { PageError } from '#components/ui/page-error.tsx'

export default function Page({ error, reset }: { error: Error & { digest?: string }; reset: () => void }) {
  const router = useRouter()
  const retry = () =>
    startTransition(() => {
      router.refresh()
      reset()
    })
  return (
    // In place of the frame, whose main it would be in.
    <main>
      <PageError digest={error.digest} onRetry={retry} />
    </main>
  )
}
