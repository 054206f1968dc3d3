'use client'

import { ActiveFilters } from '#components/filters/active-filters.tsx'
import { PlatformFilter } from '#components/filters/platform-filter.tsx'
import { type Profile, ProfileFilter, profileName } from '#components/filters/profile-filter.tsx'
import { useView } from '#components/filters/use-view.ts'
import { activeValues, cleared, toggled, valuesOf } from '#components/filters/view.ts'
import { Spinner } from '#components/ui/spinner.tsx'
import { platformName } from '#lib/invoices/rules.ts'
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
  const active = [
    ...activeValues(wanted, 'billingProfile', (id) => profileName(profiles, id)),
    ...activeValues(wanted, 'platform', platformName),
    ...activeValues(wanted, 'currency', (code) => code),
  ]
  return (
    <>
      <div className="relative mb-3 flex flex-wrap items-center gap-2">
        <ProfileFilter
          profiles={profiles}
          chosen={valuesOf(wanted, 'billingProfile')}
          onToggle={(id) => go(toggled(wanted, 'billingProfile', id))}
        />
        <PlatformFilter
          chosen={valuesOf(wanted, 'platform')}
          rows={rows}
          onToggle={(platform) => go(toggled(wanted, 'platform', platform))}
        />
        {isWaiting ? (
          <span className="appear-late">
            <Spinner />
          </span>
        ) : null}
      </div>
      <ActiveFilters active={active} cleared={cleared(wanted)} onChange={go} />
    </>
  )
}
