'use client'

import { ActiveFilters } from '#components/lists/filters/active-filters.tsx'
import { PlatformFilter, type Profile, ProfileFilter } from '#components/lists/filters/kind-filter.tsx'
import { useView } from '#components/lists/filters/use-view.ts'
import { activeValues, toggled, valuesOf, withValues } from '#components/lists/filters/view.ts'
import { Spinner } from '#components/ui/spinner.tsx'
import { cleared, hrefOf, type View } from './view.ts'

/** Which billing profiles and platforms a month is explained of; issuers and currencies as an address names them. */
export function ExplanationFilters({
  view,
  profiles,
  platforms,
}: {
  view: View
  /** All that the caller may see. */
  profiles: readonly Profile[]
  platforms: readonly { platform: string }[]
}) {
  const { wanted, isWaiting, go } = useView(view, hrefOf)
  const active = [
    ...activeValues(wanted, 'issuer', (name) => name),
    ...activeValues(wanted, 'currency', (code) => code),
  ]
  return (
    <>
      <ProfileFilter
        profiles={profiles}
        chosen={valuesOf(wanted, 'billingProfile')}
        onToggle={(id) => go(toggled(wanted, 'billingProfile', id))}
        onClear={() => go(withValues(wanted, 'billingProfile', []))}
      />
      <PlatformFilter
        chosen={valuesOf(wanted, 'platform')}
        rows={platforms}
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
    </>
  )
}
