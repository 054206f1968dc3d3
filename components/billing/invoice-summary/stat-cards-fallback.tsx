import { Button } from '#components/ui/button.tsx'
import { ProblemNote } from '#components/ui/problem-note.tsx'
import type { SummaryError } from './streamed-summary.tsx'

/** Reserves the height of the figures, and becomes visible after a delay. */
export function StatCardsSkeleton() {
  return (
    <div role="status" className="appear-late mb-3.5">
      <span className="sr-only">Adding up…</span>
      <div aria-hidden="true" className="h-32 rounded-card bg-sunken max-md:h-44" />
    </div>
  )
}

/** Error in place of the figures: its reason, and a note that the list does not depend on them. */
export function StatCardsError({
  failed: { why, requestId },
  onRetry,
}: {
  failed: SummaryError
  onRetry: () => void
}) {
  return (
    <div className="mb-4">
      <ProblemNote
        title="The figures are missing"
        detail={`The list below is complete. ${why}`}
        requestId={requestId}
        action={<Button onClick={onRetry}>Add up again</Button>}
      />
    </div>
  )
}
