import type { Metadata } from 'next'
import { searchPages } from '#lib/platform/api/developers/pages.ts'
import { env } from '#lib/platform/runtime/env.ts'
import { Missing } from '../missing.tsx'
import { findPage, PAGES } from './content.ts'
import { DevelopersScreen } from './screen.tsx'

export const metadata: Metadata = { title: 'Developers' }

/** Longest text that is searched for, in characters. */
const MAX_SEARCH_LENGTH = 100

export default async function Page({ searchParams }: { searchParams: Promise<{ q?: string | string[] }> }) {
  const { q } = await searchParams
  const search = typeof q === 'string' ? q.trim().slice(0, MAX_SEARCH_LENGTH) : ''
  const page = findPage('')
  const result = search ? { search, matches: searchPages(PAGES, search, env().baseUrl) } : undefined
  if (!page) return <Missing />
  return <DevelopersScreen page={page} {...(result ? { result } : {})} />
}
