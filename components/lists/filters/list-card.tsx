import type { ReactNode } from 'react'
import { Card } from '#components/ui/card.tsx'
import { SkeletonRows } from '#components/ui/skeleton.tsx'
import { staleClass } from '#components/ui/stale-class.ts'

/**
 * Card of a list: its rows, or a placeholder.
 * @param count number of rows; undefined during the first load
 * @param pending whether other rows are loading: the present ones are dimmed then
 * @param none placeholder of a list without rows
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
    <Card className={staleClass(pending)}>
      {count === undefined ? <SkeletonRows count={8} /> : null}
      {count === 0 ? none : null}
      {count ? children : null}
    </Card>
  )
}
