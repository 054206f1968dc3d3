import Link from 'next/link'
import { currentCaller } from '#app/(console)/caller.ts'
import { DevelopersFrame } from '#components/developers/frame.tsx'
import { Brand } from '#components/shell/frame/brand.tsx'
import { parseMarkdown } from '#lib/platform/api/developers/markdown.ts'
import { type DeveloperPage, type Match, pathOf } from '#lib/platform/api/developers/pages.ts'
import { env } from '#lib/platform/runtime/env.ts'
import { Blocks } from './blocks.tsx'
import { contents } from './content.ts'

/** A page for developers in its frame, or the result of a search. */
export async function DevelopersScreen({
  page,
  result,
}: {
  page: DeveloperPage
  result?: { search: string; matches: readonly Match[] }
}) {
  const isSignedIn = (await currentCaller()) !== undefined
  const path = pathOf(page)
  return (
    <DevelopersFrame
      brand={<Brand />}
      sections={contents()}
      current={result ? '' : path}
      search={result?.search ?? ''}
      isSignedIn={isSignedIn}
    >
      {result ? (
        <SearchResults {...result} />
      ) : (
        <>
          <Blocks
            blocks={parseMarkdown(page.markdown(env().baseUrl))}
            signIn={isSignedIn ? undefined : `/sign-in?from=${encodeURIComponent(path)}`}
          />
          <p className="mt-12 border-t border-line pt-4 text-sm print:hidden">
            <a href={page.slug === '' ? '/developers.md' : `${path}.md`} className="text-accent underline">
              This page as Markdown
            </a>
          </p>
        </>
      )}
    </DevelopersFrame>
  )
}

function SearchResults({ search, matches }: { search: string; matches: readonly Match[] }) {
  return (
    <>
      <h1 className="text-title wrap-anywhere">Search: {search}</h1>
      <p className="mt-1 text-ink-3">
        {matches.length === 0
          ? 'Nothing matches all of these words. Try fewer words, a path or the name of a field.'
          : `${matches.length} ${matches.length === 1 ? 'section' : 'sections'}`}
      </p>
      <ul className="mt-5 grid gap-4">
        {matches.map(({ page, title, href, excerpt }) => (
          <li key={href} className="wrap-anywhere">
            <Link href={href} prefetch={false} className="rounded-sm font-medium text-accent underline">
              {title}
            </Link>
            <span className="text-sm text-ink-3"> · {page}</span>
            <p className="mt-0.5 text-sm text-ink-2">{excerpt}</p>
          </li>
        ))}
      </ul>
    </>
  )
}
