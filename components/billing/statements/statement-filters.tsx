'use client'

import type { ReactNode } from 'react'
import { FilterBar } from '#components/lists/filters/filter-bar.tsx'
import { type Profile, useAccountFilters } from '#components/lists/filters/platform-filters.tsx'
import { useView } from '#components/lists/filters/use-view.ts'
import { activeValues } from '#components/lists/filters/view.ts'
import { hrefOf, type View } from './view.ts'

/** Billing-profile and platform filters of the statement; a currency is selected at its sums. */
export function StatementFilters({
  view,
  profiles,
  rows,
  children,
}: {
  view: View
  /** All profiles that the caller may see. */
  profiles: readonly Profile[]
  rows: readonly { platform: string }[]
  /** Tools of the screen. */
  children: ReactNode
}) {
  const { requestedView, isWaiting, go } = useView(view, hrefOf)
  const active = [...activeValues(requestedView, 'currency', (code) => code)]
  const filters = useAccountFilters(requestedView, { profiles, rows, onChange: go })
  return (
    <FilterBar
      view={requestedView}
      isFiltered={requestedView.filter !== undefined}
      isWaiting={isWaiting}
      main={filters}
      active={active}
      onChange={go}
    >
      {children}
    </FilterBar>
  )
}
