'use client'

import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useMemo } from 'react'

/** Answer of the service, and the key of its call. */
export type Answer = readonly [key: readonly unknown[], answer: unknown]

/**
 * Puts answers into the query cache, unless it has newer ones. TanStack Query's own `HydrationBoundary` also handles
 * errors and pending queries, and is four times as large.
 * @param time of the answers, in epoch milliseconds
 */
export function CachedAnswers({
  answers,
  time,
  children,
}: {
  answers: readonly Answer[]
  time: number
  children: ReactNode
}) {
  const client = useQueryClient()
  const put = ([key, answer]: Answer) => client.setQueryData(key, answer, { updatedAt: time })
  const ageOf = ([key]: Answer) => client.getQueryState(key)?.dataUpdatedAt
  // New ones before the children are rendered; a newer one for a rendered query afterwards, because it updates components.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for the answers of a page
  useMemo(() => {
    for (const answer of answers) if (ageOf(answer) === undefined) put(answer)
  }, [client, answers])
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for the answers of a page
  useEffect(() => {
    for (const answer of answers) if ((ageOf(answer) ?? 0) < time) put(answer)
  }, [client, answers])
  return children
}
