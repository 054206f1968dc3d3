import { dehydrate, HydrationBoundary, QueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'

/** Hands answers that the server already has to the browser's cache, each under its call's key. */
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
