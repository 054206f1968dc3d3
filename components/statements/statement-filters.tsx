'use client'

import { useRouter } from 'next/navigation'
import { useOptimistic, useTransition } from 'react'
import { PlatformFilter } from '#components/platform/platform-filter.tsx'
import { ActiveFilters } from '#components/ui/active-filters.tsx'
import { ChoiceMenu } from '#components/ui/choice-menu.tsx'
import { Spinner } from '#components/ui/spinner.tsx'
import { platformName } from '#lib/invoices/rules.ts'
import { hrefOf, toggled, type View, valuesOf } from './view.ts'

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
  const router = useRouter()
  const [isWaiting, startTransition] = useTransition()
  const [wanted, setWanted] = useOptimistic(view)
  const go = (next: View) =>
    startTransition(() => {
      setWanted(next)
      router.push(hrefOf(next), { scroll: false })
    })
  const nameOf = (id: string) => profiles.find((profile) => profile.id === id)?.name ?? id
  const chosen = valuesOf(wanted, 'billingProfile')
  const [first] = chosen
  const several = chosen.length > 1 ? `${chosen.length} billing profiles` : undefined
  const names = { billingProfile: nameOf, platform: platformName, currency: (code: string) => code }
  const active = (Object.keys(names) as (keyof typeof names)[]).flatMap((key) =>
    [...new Set(valuesOf(wanted, key))].map((value) => ({
      text: names[key](value),
      without: toggled(wanted, key, value),
    })),
  )
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
      <ActiveFilters active={active} cleared={{}} onChange={go} />
    </>
  )
}
