import { Card } from './card.tsx'

/** Stands where rows will be, once waiting for them lasts; `now` where it has lasted. */
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

/** The same for a list that its page did not wait for. */
export function RowsWaiting({ now }: { now?: boolean }) {
  return (
    <Card className={now ? '' : 'appear-late'}>
      <SkeletonRows count={8} now={now} />
    </Card>
  )
}
