import Link from 'next/link'
import type { ReactNode } from 'react'
import { escapeInvisible } from './escape-invisible.ts'
import { PageTitle } from './page-title.tsx'

/** Header of a page: title, description and actions. `breadcrumb` links back to the list. */
export function PageHeader({
  title,
  badge,
  subtitle,
  breadcrumb,
  actions,
}: {
  title: string
  badge?: ReactNode
  subtitle?: ReactNode
  breadcrumb?: { href: string; name: string }
  actions?: ReactNode
}) {
  return (
    <header className="mb-5 flex flex-wrap items-end justify-between gap-x-4 gap-y-3 max-md:mb-3.5 max-md:items-start max-md:gap-x-2">
      {/* On a phone actions are placed next to the title. Below a list, where rows need less of the screen, the description has priority. */}
      <div className={`min-w-0 max-md:grow ${breadcrumb ? 'max-md:basis-44' : ''}`}>
        {breadcrumb ? (
          <nav aria-label="Breadcrumb" className="mb-2 text-sm">
            <Link
              href={breadcrumb.href}
              prefetch={false}
              className="rounded-sm text-ink-3 hover:text-ink hover:underline"
            >
              {breadcrumb.name}
            </Link>
            <span aria-hidden="true" className="text-ink-3">
              {' '}
              ›
            </span>
          </nav>
        ) : null}
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <PageTitle className="min-w-0 wrap-anywhere">{escapeInvisible(title)}</PageTitle>
          {badge}
        </div>
        {subtitle ? <p className="mt-1 text-ink-3 max-md:w-0 max-md:min-w-full">{subtitle}</p> : null}
      </div>
      {actions ? <div className="flex flex-wrap gap-2 print:hidden">{actions}</div> : null}
    </header>
  )
}
