import { dehydrate, HydrationBoundary, QueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'

/** Passes the server's answers to the browser's query cache, each under the key of its call. */
export function Hydrated({
  answers,
  children,
}: {
  answers: (readonly [key: readonly unknown[], answer: unknown])[]
  children: ReactNode
}) {
  const client = new QueryClient()
  for (const [key, answer] of answers) client.setQueryData(key, answer)
  return <HydrationBoundary state={dehydrate(client)}>{children}</HydrationBoundary>
}
