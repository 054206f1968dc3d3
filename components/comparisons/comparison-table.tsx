import { ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { Card } from '#components/ui/card.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { ComparisonLines, type Heads, type ShownChange, type ShownDifference } from './comparison-lines.tsx'

const FOLD =
  'border-t border-line [&_tbody_tr:last-child>td]:border-b-0 [&_summary]:flex [&_summary]:items-center [&_summary]:gap-2 [&_summary]:px-4 [&_summary]:py-2.5 [&_summary]:text-sm [&_summary]:text-ink-2 [&_summary]:hover:bg-sunken/50 max-md:[&_summary]:px-3.5 [&_summary::-webkit-details-marker]:hidden [&[open]>summary]:border-b [&[open]>summary]:border-line [&[open]>summary>svg]:rotate-90'

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

function Fold({ name, children }: { name: string; children: ReactNode }) {
  return (
    <details className={FOLD}>
      <summary>
        <ChevronRight aria-hidden="true" className="size-4 shrink-0 text-ink-3" />
        {name}
      </summary>
      {children}
    </details>
  )
}
