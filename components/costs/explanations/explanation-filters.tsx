'use client'

import type { ReactNode } from 'react'
import { FilterBar } from '#components/lists/filters/filter-bar.tsx'
import { type Profile, useAccountFilters } from '#components/lists/filters/platform-filters.tsx'
import { useView } from '#components/lists/filters/use-view.ts'
import { activeValues } from '#components/lists/filters/view.ts'
import { cleared, hrefOf, type View } from './view.ts'

/** Billing-profile and platform filters of an explanation; issuers and currencies come from the address. */
export function ExplanationFilters({
  view,
  profiles,
  platforms,
  children,
}: {
  view: View
  /** All profiles that the caller may see. */
  profiles: readonly Profile[]
  platforms: readonly { platform: string }[]
  /** Tools of the screen. */
  children: ReactNode
}) {
  const { requestedView, isWaiting, go } = useView(view, hrefOf)
  const active = [
    ...activeValues(requestedView, 'issuer', (name) => name),
    ...activeValues(requestedView, 'currency', (code) => code),
  ]
  const filters = useAccountFilters(requestedView, { profiles, rows: platforms, onChange: go })
  return (
    <FilterBar
      view={requestedView}
      cleared={cleared(requestedView)}
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
