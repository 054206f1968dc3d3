import Link from 'next/link'
import type { ReactNode } from 'react'
import { buttonVariants } from '#components/ui/button-variants.ts'

/** Entry of the contents. */
export type Entry = { href: string; title: string }

/** Frame of the pages for developers: brand, search, contents and the page. It works without JavaScript. */
export function DevelopersFrame({
  brand,
  sections,
  current,
  search,
  isSignedIn,
  children,
}: {
  brand: ReactNode
  sections: readonly { title: string; entries: readonly Entry[] }[]
  /** Path of the open page. */
  current: string
  /** Text that was searched for. */
  search: string
  isSignedIn: boolean
  children: ReactNode
}) {
  const contents = (
    <nav aria-label="Contents" className="grid gap-5 text-sm">
      {sections.map(({ title, entries }) => (
        <div key={title} className="grid gap-0.5">
          <p className="mb-1 px-2 text-xs font-semibold text-ink-3">{title}</p>
          {entries.map((entry) => (
            <Link
              key={entry.href}
              href={entry.href}
              prefetch={false}
              aria-current={entry.href === current ? 'page' : undefined}
              className="rounded-md px-2 py-1 text-ink-2 hover:bg-sunken hover:text-ink aria-[current]:bg-accent-tint aria-[current]:font-medium aria-[current]:text-accent max-md:py-2"
            >
              {entry.title}
            </Link>
          ))}
        </div>
      ))}
    </nav>
  )
  return (
    <div className="min-h-dvh lg:mx-auto lg:max-w-380 print:min-h-0">
      <a
        href="#content"
        className="absolute top-2 left-2 z-50 -translate-y-20 rounded-control bg-accent px-3 py-2 text-accent-ink focus:translate-y-0 print:hidden"
      >
        Skip to content
      </a>
      <header className="flex flex-wrap items-center gap-x-5 gap-y-3 border-b border-line px-9 py-3 max-md:px-3.5 print:hidden">
        <Link href="/" prefetch={false} className="rounded-sm">
          {brand}
        </Link>
        <search className="ml-auto max-md:order-last max-md:w-full">
          <form action="/developers" className="flex gap-2">
            <input
              type="search"
              name="q"
              aria-label="Search the documentation"
              placeholder="Search"
              defaultValue={search}
              className="h-8.5 w-64 rounded-control border border-line-2 bg-surface px-3 text-sm max-md:h-11 max-md:w-full max-md:flex-1 max-md:text-lg"
            />
            <button type="submit" className={buttonVariants('plain')}>
              Search
            </button>
          </form>
        </search>
        <Link
          href={isSignedIn ? '/keys' : '/sign-in?from=/keys'}
          prefetch={false}
          className={buttonVariants('quiet')}
        >
          {isSignedIn ? 'API keys' : 'Sign in'}
        </Link>
      </header>
      <div className="lg:grid lg:grid-cols-[15rem_minmax(0,1fr)]">
        <div className="border-line px-3.5 py-5 max-lg:hidden lg:sticky lg:top-0 lg:max-h-dvh lg:overflow-y-auto lg:border-r print:hidden">
          {contents}
        </div>
        <details className="border-b border-line px-9 py-2 max-md:px-3.5 lg:hidden print:hidden">
          <summary className="rounded-sm py-1.5 text-sm font-medium">Contents</summary>
          <div className="py-3">{contents}</div>
        </details>
        <main
          id="content"
          tabIndex={-1}
          className="min-w-0 max-w-220 px-9 pt-7 pb-16 outline-none max-md:px-3.5 max-md:pt-4.5 print:max-w-none print:p-0"
        >
          {children}
        </main>
      </div>
    </div>
  )
}
