'use client'

import { ActiveFilters } from '#components/filters/active-filters.tsx'
import { PlatformFilter } from '#components/filters/platform-filter.tsx'
import { useView } from '#components/filters/use-view.ts'
import { activeValues, toggled, valuesOf } from '#components/filters/view.ts'
import { ChoiceMenu } from '#components/ui/choice-menu.tsx'
import { Spinner } from '#components/ui/spinner.tsx'
import { platformName } from '#lib/invoices/rules.ts'
import { cleared, hrefOf, type View } from './view.ts'

type Profile = { id: string; name: string }

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
  const nameOf = (id: string) => profiles.find((profile) => profile.id === id)?.name ?? id
  const chosen = valuesOf(wanted, 'billingProfile')
  const [first] = chosen
  const several = chosen.length > 1 ? `${chosen.length} billing profiles` : undefined
  const active = [
    ...activeValues(wanted, 'billingProfile', nameOf),
    ...activeValues(wanted, 'platform', platformName),
    ...activeValues(wanted, 'issuer', (name) => name),
    ...activeValues(wanted, 'currency', (code) => code),
  ]
  return (
    <>
      {profiles.length > 1 ? (
        <ChoiceMenu
          label="Billing profile"
          summary={several ?? (first === undefined ? 'All billing profiles' : nameOf(first))}
          choices={profiles.map(({ id, name }) => ({ value: id, name }))}
          chosen={chosen}
          onToggle={(id) => go(toggled(wanted, 'billingProfile', id))}
        />
      ) : null}
      <PlatformFilter
        chosen={valuesOf(wanted, 'platform')}
        rows={platforms}
        onToggle={(platform) => go(toggled(wanted, 'platform', platform))}
      />
      {isWaiting ? (
        <span className="appear-late">
          <Spinner />
        </span>
      ) : null}
      {active.length > 0 ? (
        <div className="w-full [&_section]:mb-0">
          <ActiveFilters active={active} cleared={cleared(wanted)} onChange={go} />
        </div>
      ) : null}
    </>
  )
}
