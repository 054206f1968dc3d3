'use client'

import { useQuery } from '@tanstack/react-query'
import { use } from 'react'
import { listNeeds } from '#lib/needs/queries.ts'

/**
 * How many lines need the caller, in the navigation; nothing where none does. `first` is as the frame was made; what the page
 * of them has learned since counts more.
 */
export function NeedCount({ first }: { first: Promise<number | undefined> }) {
  const atFirst = use(first)
  const { data } = useQuery({
    queryKey: listNeeds.key({}),
    queryFn: ({ signal }) => listNeeds({}, signal),
    enabled: false,
  })
  const count = data?.count ?? atFirst
  if (!count) return null
  return (
    <span className="ml-auto rounded-full bg-accent-tint px-1.75 text-xs font-semibold text-accent tabular-nums forced-colors:border">
      {count.toLocaleString('en')}
      <span className="sr-only">{count === 1 ? ' line needs you' : ' lines need you'}</span>
    </span>
  )
}
