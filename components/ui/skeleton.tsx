import { Card } from './card.tsx'

/** Skeleton of rows, shown after a delay; `now` skips the delay. */
export function SkeletonRows({ count, now }: { count: number; now?: boolean | undefined }) {
  return (
    <div role="status" className={now ? '' : 'appear-late'}>
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

/** Skeleton of a list that streams in after its page. */
export function RowsWaiting({ now }: { now?: boolean }) {
  return (
    <Card className={now ? '' : 'appear-late'}>
      <SkeletonRows count={8} now={now} />
    </Card>
  )
}
