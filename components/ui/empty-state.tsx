import type { ReactNode } from 'react'

/** What stands where rows would: what is not there, why, and what to do next. */
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
      {children ? <div className="max-w-md text-ink-3">{children}</div> : null}
      {action ? <div className="mt-3">{action}</div> : null}
    </div>
  )
}
