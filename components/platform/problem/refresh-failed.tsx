'use client'

import { Button } from '#components/ui/button.tsx'
import { ProblemNote } from '#components/ui/problem-note.tsx'
import { ProblemError } from '#lib/platform/api/problem-base.ts'
import { whyNot } from './why-not.ts'

/** Error above rows that could not be read again and may be out of date. `label` names the rows: `invoices`. */
export function RefreshFailed({
  label,
  error,
  onRetry,
}: {
  label: string
  error: Error
  onRetry: () => void
}) {
  const isOurs = error instanceof ProblemError
  return (
    <div className="mb-3">
      <ProblemNote
        title={`The ${label} could not be refreshed`}
        detail={whyNot(error)}
        requestId={isOurs ? error.more.requestId : undefined}
        action={<Button onClick={onRetry}>Try again</Button>}
      />
    </div>
  )
}
