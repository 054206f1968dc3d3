'use client'

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { listMatches } from '#lib/workspace/matches/queries.ts'
import { actsOf, askedOf, type Entry, placesOf, thingsOf } from './entries.ts'

const PAUSE_MS = 120
const NOTHING = { assets: [], invoices: [], billingProfiles: [] }

/** What the box finds, best first, what is said of that, and whether more may come. */
export function useFound(typed: string, places: readonly Entry[]) {
  const asked = askedOf(typed)
  const settled = askedOf(useSettled(typed))
  const whole = useMatches(settled.text)
  const parts = useMatches(settled.act?.search ?? '')
  const entries = [
    ...(parts.isPlaceholderData ? [] : actsOf(settled, parts.data ?? NOTHING)),
    ...placesOf(asked, places),
    ...(asked.text === '' ? [] : thingsOf(whole.data ?? NOTHING)),
  ]
  const isWaiting = asked.text !== settled.text || whole.isFetching || parts.isFetching
  const error = whole.error ?? parts.error
  const status =
    error?.message ??
    (entries.length > 0
      ? '↑ ↓ to choose, Enter to open, Escape to close'
      : isWaiting
        ? 'Looking …'
        : `Nothing has “${asked.text}” in it.`)
  return { entries, status, isWaiting }
}

function useMatches(search: string) {
  const query = { search }
  return useQuery({
    queryKey: listMatches.key({ query }),
    queryFn: ({ signal }) => listMatches({ query }, signal),
    enabled: search !== '',
    placeholderData: keepPreviousData,
    staleTime: 10_000,
  })
}

/** A text once it was the same for a moment. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}
