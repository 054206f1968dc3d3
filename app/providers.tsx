'use client'

import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Toasts } from '#components/ui/toast.tsx'
import { Problem } from '#lib/platform/api/problem.ts'

/** What the screens share in the browser: the cache of answers, and messages. */
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
      // What is asked for is sent now or fails now. Kept until the network is back, it would buy unawares.
      mutations: { networkMode: 'always' },
      queries: {
        staleTime: 30_000,
        // What was refused once will be refused again; what failed may not.
        retry: (failures, error) => failures < 2 && !(error instanceof Problem && error.status < 500),
      },
    },
  })
}

/** The session ended while the screen stood open: sign in, and come back here. */
function redirectToSignIn(error: Error): void {
  if (!(error instanceof Problem) || error.code !== 'unauthenticated') return
  location.assign(`/sign-in?from=${encodeURIComponent(location.pathname + location.search)}`)
}
