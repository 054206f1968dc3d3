import type { ReactNode } from 'react'
import { RequestId } from './request-id.tsx'

/** Error and the way out, read out when it appears. `requestId` can be copied and quoted to support. */
export function ProblemNote({
  title,
  detail,
  requestId,
  action,
}: {
  title: string
  detail?: ReactNode
  requestId?: string | undefined
  action?: ReactNode
}) {
  return (
    <div role="alert" className="rounded-card border border-danger/30 bg-danger-tint px-4 py-3 text-sm">
      <p className="font-semibold text-danger">{title}</p>
      {detail ? <div className="mt-0.5 text-ink-2">{detail}</div> : null}
      {action || requestId ? (
        <div className="mt-2 flex flex-wrap items-center gap-x-3 gap-y-1">
          {action}
          {requestId ? <RequestId id={requestId} /> : null}
        </div>
      ) : null}
    </div>
  )
}
