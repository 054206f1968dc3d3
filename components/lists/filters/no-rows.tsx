import type { ReactNode } from 'react'
import { Button } from '#components/ui/button.tsx'
import { EmptyState } from '#components/ui/empty-state.tsx'
import { changed, cleared, type ListView } from './view.ts'

/** Placeholder of a view without rows: beyond its last page, with filters, or because there are no rows yet. */
export function NoRows<View extends ListView>({
  view,
  isFiltered,
  rowLabels: [one, several],
  toFirst,
  instead,
  onNavigate,
  children,
}: {
  view: View
  isFiltered: boolean
  /** Singular and plural of the rows' name. */
  rowLabels: readonly [one: string, several: string]
  /** Label of the link to the first page. */
  toFirst: string
  /** Link to another view that may have the searched row. */
  instead?: { name: string; view: View } | undefined
  onNavigate: (view: View) => void
  /** Explains when rows will appear. */
  children: ReactNode
}) {
  if (view.pageToken) {
    const action = <Button onClick={() => onNavigate(changed(view, {}))}>{toFirst}</Button>
    return <EmptyState title={`No more ${several} here`} action={action} />
  }
  if (isFiltered) {
    const action = (
      <div className="flex flex-wrap justify-center gap-2">
        {instead ? <Button onClick={() => onNavigate(instead.view)}>{instead.name}</Button> : null}
        <Button onClick={() => onNavigate(cleared(view))}>Clear filters</Button>
      </div>
    )
    return (
      <EmptyState title="Nothing matches" action={action}>
        <p>{`No ${one} matches all filters. Remove one, or choose a longer period.`}</p>
      </EmptyState>
    )
  }
  return <EmptyState title={`No ${several} yet`}>{children}</EmptyState>
}
