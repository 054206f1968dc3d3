import type { ReactNode } from 'react'

/** Placeholder of an empty list: the missing rows, why they are missing, and the next step. */
export function EmptyState({
  title,
  children,
  action,
}: {
  title: string
  children?: ReactNode
  action?: ReactNode
}) {
  return (
    <div className="grid justify-items-center gap-1.5 px-6 py-14 text-center">
      <p className="font-semibold">{title}</p>
      {children ? <div className="max-w-md text-balance text-ink-3">{children}</div> : null}
      {action ? <div className="mt-3">{action}</div> : null}
    </div>
  )
}
