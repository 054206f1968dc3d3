import type { ReactNode } from 'react'
import { Card } from '#components/ui/card.tsx'
import { SkeletonRows } from '#components/ui/skeleton.tsx'
import { staleClass } from '#components/ui/stale-class.ts'

/**
 * The card of a list: its rows, or what stands in their place.
 * @param count of the rows; undefined while they are awaited for the first time
 * @param isWaiting whether others are awaited: these are dimmed then
 * @param none what is said where there is none
 */
export function ListCard({
  count,
  pending,
  none,
  children,
}: {
  count: number | undefined
  pending: boolean
  none: ReactNode
  children: ReactNode
}) {
  return (
    <Card data-wide="" className={staleClass(pending)}>
      {count === undefined ? <SkeletonRows count={8} /> : null}
      {count === 0 ? none : null}
      {count ? children : null}
    </Card>
  )
}
