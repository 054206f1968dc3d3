'use client'

import { ActiveFilters } from '#components/lists/filters/active-filters.tsx'
import { PlatformFilter, type Profile, ProfileFilter } from '#components/lists/filters/kind-filter.tsx'
import { useView } from '#components/lists/filters/use-view.ts'
import { activeValues, toggled, valuesOf, withValues } from '#components/lists/filters/view.ts'
import { Spinner } from '#components/ui/spinner.tsx'
import { cleared, hrefOf, type View } from './view.ts'

/** Billing-profile and platform filters of an explanation; issuers and currencies come from the address. */
export function ExplanationFilters({
  view,
  profiles,
  platforms,
}: {
  view: View
  /** All profiles that the caller may see. */
  profiles: readonly Profile[]
  platforms: readonly { platform: string }[]
}) {
  const { requestedView, isWaiting, go } = useView(view, hrefOf)
  const active = [
    ...activeValues(requestedView, 'issuer', (name) => name),
    ...activeValues(requestedView, 'currency', (code) => code),
  ]
  return (
    <>
      <ProfileFilter
        profiles={profiles}
        selected={valuesOf(requestedView, 'billingProfile')}
        onToggle={(id) => go(toggled(requestedView, 'billingProfile', id))}
        onClear={() => go(withValues(requestedView, 'billingProfile', []))}
      />
      <PlatformFilter
        selected={valuesOf(requestedView, 'platform')}
        rows={platforms}
        onToggle={(platform) => go(toggled(requestedView, 'platform', platform))}
        onClear={() => go(withValues(requestedView, 'platform', []))}
      />
      {isWaiting ? (
        <span className="appear-late">
          <Spinner />
        </span>
      ) : null}
      <ActiveFilters
        active={active}
        isFiltered={requestedView.filter !== undefined}
        cleared={cleared(requestedView)}
        onChange={go}
      />
    </>
  )
}
