import type { ReactNode } from 'react'
import { PageTitle } from './page-title.tsx'

/** Page for a request that can't be answered: an explanation in calm words, and the way out. */
export function ErrorPage({
  title,
  children,
  action,
}: {
  title: string
  children: ReactNode
  action: ReactNode
}) {
  return (
    <div className="grid min-h-[60dvh] content-center justify-items-center gap-2 p-6 text-center">
      <PageTitle>{title}</PageTitle>
      <div className="max-w-md text-ink-3">{children}</div>
      <div className="mt-3 flex flex-wrap justify-center gap-2">{action}</div>
    </div>
  )
}
