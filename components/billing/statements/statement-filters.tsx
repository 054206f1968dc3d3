'use client'

import { ActiveFilters } from '#components/lists/filters/active-filters.tsx'
import { PlatformFilter, type Profile, ProfileFilter } from '#components/lists/filters/kind-filter.tsx'
import { useView } from '#components/lists/filters/use-view.ts'
import { activeValues, cleared, toggled, valuesOf, withValues } from '#components/lists/filters/view.ts'
import { Spinner } from '#components/ui/spinner.tsx'
import { hrefOf, type View } from './view.ts'

/** Which billing profiles and platforms the statement is of; a currency is chosen at its sums. */
export function StatementFilters({
  view,
  profiles,
  rows,
}: {
  view: View
  /** All that the caller may see. */
  profiles: readonly Profile[]
  rows: readonly { platform: string }[]
}) {
  const { wanted, isWaiting, go } = useView(view, hrefOf)
  const active = [...activeValues(wanted, 'currency', (code) => code)]
  return (
    <div className="relative mb-3 flex flex-wrap items-center gap-2">
      <ProfileFilter
        profiles={profiles}
        chosen={valuesOf(wanted, 'billingProfile')}
        onToggle={(id) => go(toggled(wanted, 'billingProfile', id))}
        onClear={() => go(withValues(wanted, 'billingProfile', []))}
      />
      <PlatformFilter
        chosen={valuesOf(wanted, 'platform')}
        rows={rows}
        onToggle={(platform) => go(toggled(wanted, 'platform', platform))}
        onClear={() => go(withValues(wanted, 'platform', []))}
      />
      {isWaiting ? (
        <span className="appear-late">
          <Spinner />
        </span>
      ) : null}
      <ActiveFilters
        active={active}
        isFiltered={wanted.filter !== undefined}
        cleared={cleared(wanted)}
        onChange={go}
      />
    </div>
  )
}
