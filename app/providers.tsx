'use client'

import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Toasts } from '#components/ui/toast.tsx'
import { ProblemError } from '#lib/platform/api/problem-base.ts'

/** Providers that the screens share in the browser: query cache and toasts. */
export function Providers({ children }: { children: ReactNode }) {
  const [client] = useState(newClient)
  return (
    <QueryClientProvider client={client}>
      <Toasts>{children}</Toasts>
    </QueryClientProvider>
  )
}

function newClient(): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({ onError: redirectToSignIn }),
    defaultOptions: {
      // Send or fail immediately. A mutation queued until the network is back would buy without the user's knowledge.
      mutations: { networkMode: 'always' },
      queries: {
        staleTime: 30_000,
        // A refused request will be refused again; a failed one may succeed.
        retry: (failures, error) => failures < 2 && !(error instanceof ProblemError && error.status < 500),
      },
    },
  })
}

/** Redirects to the sign-in page when the session has expired while the screen was open, and back afterwards. */
function redirectToSignIn(error: Error): void {
  if (!(error instanceof ProblemError) || error.code !== 'unauthenticated') return
  location.assign(`/sign-in?from=${encodeURIComponent(location.pathname + location.search)}`)
}
