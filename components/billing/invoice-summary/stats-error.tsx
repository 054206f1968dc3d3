import { Button } from '#components/ui/button.tsx'
import { ProblemNote } from '#components/ui/problem-note.tsx'
import type { SummaryError } from './streamed-summary.tsx'

/** Error in place of the figures: its reason, and a note that the list does not depend on them. */
export function StatsError({
  failed: { why, requestId },
  onRetry,
}: {
  failed: SummaryError
  onRetry: () => void
}) {
  return (
    <div className="border-b border-line p-3">
      <ProblemNote
        title="The figures are missing"
        detail={`The list below is complete. ${why}`}
        requestId={requestId}
        action={<Button onClick={onRetry}>Add up again</Button>}
      />
    </div>
  )
}
