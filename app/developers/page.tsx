import type { Metadata } from 'next'
import { searchPages } from '#lib/platform/api/developers/pages.ts'
import { env } from '#lib/platform/runtime/env.ts'
import { PAGES, requirePage } from './content.ts'
import { DevelopersScreen } from './screen.tsx'

export const metadata: Metadata = { title: 'Developers' }

/** Longest text that is searched for, in characters. */
const MAX_SEARCH_LENGTH = 100

export default async function Page({ searchParams }: { searchParams: Promise<{ q?: string | string[] }> }) {
  const { q } = await searchParams
  const search = typeof q === 'string' ? q.trim().slice(0, MAX_SEARCH_LENGTH) : ''
  const page = requirePage('')
  const result = search ? { search, matches: searchPages(PAGES, search, env().baseUrl) } : undefined
  return <DevelopersScreen page={page} {...(result ? { result } : {})} />
}
