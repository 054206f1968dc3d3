import { Card } from '#components/ui/card.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { Fold } from '#components/ui/fold.tsx'
import { ComparisonLines, type Heads, type ShownChange, type ShownDifference } from './comparison-lines.tsx'

/**
 * What is different, the largest effect first, and what that comes to. `smaller` differences and `unchanged` lines
 * are folded away.
 */
export function ComparisonTable({
  heads,
  changes,
  smaller,
  unchanged,
  differences,
}: {
  heads: Heads
  changes: readonly ShownChange[]
  smaller: readonly ShownChange[]
  unchanged: readonly ShownChange[]
  differences: readonly ShownDifference[]
}) {
  return (
    <Card className="overflow-hidden">
      {changes.length > 0 ? (
        <ComparisonLines label="Differences" heads={heads} lines={changes} differences={differences} />
      ) : (
        <EmptyState title="No line is different">
          <p>Each line has the same quantity and price on both invoices.</p>
        </EmptyState>
      )}
      {smaller.length > 0 ? (
        <Fold name={`${smaller.length.toLocaleString('en')} smaller differences`}>
          <ComparisonLines label="Smaller differences" heads={heads} lines={smaller} />
        </Fold>
      ) : null}
      {unchanged.length > 0 ? (
        <Fold name={`${unchanged.length.toLocaleString('en')} unchanged`}>
          <ComparisonLines label="Unchanged lines" heads={heads} lines={unchanged} />
        </Fold>
      ) : null}
    </Card>
  )
}
