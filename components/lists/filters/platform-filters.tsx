import { useState } from 'react'
import { PlatformIcon } from '#components/platform/values/platform-icon.tsx'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import { PLATFORMS, platformName } from '#lib/platform/values/platforms.ts'
import { filtersOf } from './filter.tsx'
import type { ListView } from './view.ts'

export type Profile = { id: string; name: string }

/**
 * Returns the filters of an account's screens: billing profiles, and platforms. Offers the four known platforms, and
 * those that the rows have had so far, because a selection hides the rows with other ones.
 */
export function useAccountFilters<View extends ListView>(
  view: View,
  {
    profiles,
    rows,
    onChange,
  }: {
    /** All profiles that the caller may see. */
    profiles: readonly Profile[]
    rows: readonly { platform: string }[]
    onChange: (view: View) => void
  },
) {
  const [offered, setOffered] = useState<readonly string[]>(PLATFORMS)
  const platforms = [...new Set([...offered, ...rows.map(({ platform }) => platform)])]
  if (platforms.length > offered.length) setOffered(platforms)
  const by = filtersOf<ListView>(view, (next) => onChange(next as View))
  return [
    by('billingProfile', {
      label: 'Billing profile',
      several: 'billing profiles',
      options: profiles.map(({ id }) => id),
      nameOf: (id) => escapeInvisible(profiles.find((profile) => profile.id === id)?.name ?? id),
    }),
    by('platform', {
      label: 'Platform',
      several: 'platforms',
      options: platforms,
      nameOf: platformName,
      renderOption: (slug) => <PlatformIcon slug={slug} />,
    }),
  ]
}
