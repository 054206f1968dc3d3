import { Card } from './card.tsx'

/** Stands where rows will be, once waiting for them lasts. */
export function SkeletonRows({ count }: { count: number }) {
  return (
    <div role="status" className="appear-late">
      <span className="sr-only">Loading…</span>
      {Array.from({ length: count }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike
        <div key={index} aria-hidden="true" className="border-b border-line px-4 py-3.5 last:border-b-0">
          <div className="h-4 rounded-control bg-sunken" />
        </div>
      ))}
    </div>
  )
}

/** The same for a list that its page did not wait for. */
export function RowsWaiting() {
  return (
    <Card className="appear-late">
      <SkeletonRows count={8} />
    </Card>
  )
}
