'use client'

import { notifyManager, useQueryClient } from '@tanstack/react-query'
import { use, useSyncExternalStore } from 'react'
import { listNeeds } from '#lib/notifications/client.ts'

/**
 * Number of lines that need the caller, in the navigation; renders nothing for zero. `first` is from the frame's
 * render; a later answer of the page takes precedence. It only subscribes to the cache: a query of its own, without an
 * answer yet, would block hydration of the answer that the page brings.
 */
export function NeedCount({ first }: { first: Promise<number | undefined> }) {
  const atFirst = use(first)
  const client = useQueryClient()
  const learned = useSyncExternalStore(
    (onChange) => client.getQueryCache().subscribe(notifyManager.batchCalls(onChange)),
    () => countIn(client.getQueryData(listNeeds.key({}))),
    () => undefined,
  )
  const count = learned ?? atFirst
  if (!count) return null
  return (
    <span className="ml-auto rounded-full bg-accent-tint px-1.75 text-xs font-semibold text-accent tabular-nums forced-colors:border">
      {count.toLocaleString('en')}
      <span className="sr-only">{count === 1 ? ' item needs attention' : ' items need attention'}</span>
    </span>
  )
}

function countIn(answer: Awaited<ReturnType<typeof listNeeds>> | undefined): number | undefined {
  return answer?.count
}
