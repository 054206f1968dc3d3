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
  actionsBelow = false,
}: {
  title: string
  badge?: ReactNode
  subtitle?: ReactNode
  breadcrumb?: { href: string; name: string }
  actions?: ReactNode
  /** Whether the actions fill a line of a phone, and are below the description there. */
  actionsBelow?: boolean
}) {
  return (
    <header
      className={`mb-4 max-md:mb-3 ${actionsBelow ? 'max-md:flex max-md:flex-col max-md:gap-1.5' : ''}`}
    >
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
      {/* As high as a button, with or without one. */}
      <div
        className={`flex min-h-8.5 flex-wrap items-center justify-between gap-x-4 gap-y-2 max-md:min-h-10 max-md:gap-x-2 ${actionsBelow ? 'max-md:contents' : ''}`}
      >
        <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
          <PageTitle className="min-w-0 wrap-anywhere">{escapeInvisible(title)}</PageTitle>
          {badge}
        </div>
        {actions ? (
          <div
            className={`flex flex-wrap items-start gap-2 print:hidden ${actionsBelow ? 'max-md:order-last' : ''}`}
          >
            {actions}
          </div>
        ) : null}
      </div>
      {subtitle ? <p className="text-ink-3 max-md:mt-1">{subtitle}</p> : null}
    </header>
  )
}
