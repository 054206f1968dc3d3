'use client'

import { ActiveFilters } from '#components/filters/active-filters.tsx'
import { PlatformFilter } from '#components/filters/platform-filter.tsx'
import { useView } from '#components/filters/use-view.ts'
import { activeValues, cleared, toggled, valuesOf } from '#components/filters/view.ts'
import { ChoiceMenu } from '#components/ui/choice-menu.tsx'
import { Spinner } from '#components/ui/spinner.tsx'
import { platformName } from '#lib/invoices/rules.ts'
import { hrefOf, type View } from './view.ts'

type Profile = { id: string; name: string }

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
  const nameOf = (id: string) => profiles.find((profile) => profile.id === id)?.name ?? id
  const chosen = valuesOf(wanted, 'billingProfile')
  const [first] = chosen
  const several = chosen.length > 1 ? `${chosen.length} billing profiles` : undefined
  const active = [
    ...activeValues(wanted, 'billingProfile', nameOf),
    ...activeValues(wanted, 'platform', platformName),
    ...activeValues(wanted, 'currency', (code) => code),
  ]
  return (
    <>
      <div className="relative mb-3 flex flex-wrap items-center gap-2">
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
