import { type ReactNode, useState } from 'react'
import { PlatformIcon } from '#components/platform/values/platform-icon.tsx'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import { Choices, FilterMenu } from '#components/ui/filter-menu.tsx'
import { platformName } from '#lib/billing/invoices/rules.ts'

/**
 * A filter by one of the kinds that a list's rows have, such as their issuer. It offers those that are `known`, and those
 * that the address or the rows have named so far, for to choose one takes the others' rows out of sight.
 */
export function KindFilter({
  label,
  several,
  options,
  chosen,
  rows = [],
  nameOf = (value) => value,
  renderOption = nameOf,
  onToggle,
  onClear,
}: {
  label: string
  /** Plural of the values: `platforms`. */
  several: string
  options: readonly string[]
  chosen: readonly string[]
  rows?: readonly string[]
  nameOf?: (value: string) => string
  renderOption?: (value: string) => ReactNode
  onToggle: (value: string) => void
  onClear: () => void
}) {
  const [offered, setOffered] = useState(options)
  const all = [...new Set([...offered, ...options, ...chosen, ...rows])]
  if (all.length > offered.length) setOffered(all)
  const [first] = chosen
  // Of a single kind there is nothing to choose.
  if (all.length < 2 && first === undefined) return null
  const one = first === undefined ? undefined : nameOf(first)
  return (
    <FilterMenu
      label={label}
      off={`All ${several}`}
      value={chosen.length > 1 ? `${chosen.length} ${several}` : one}
      onClear={onClear}
    >
      {() => (
        <Choices
          label={label}
          choices={all.map((value) => ({ value, name: renderOption(value) }))}
          chosen={chosen}
          onToggle={onToggle}
        />
      )}
    </FilterMenu>
  )
}

const MAIN_PLATFORMS = ['workspace-suite', 'office-suite', 'cloud-platform', 'web-services']

/** Any number of platforms: the four known ones, and those that the filter or the rows have named so far. */
export function PlatformFilter({
  rows,
  ...props
}: {
  chosen: readonly string[]
  rows: readonly { platform: string }[]
  onToggle: (platform: string) => void
  onClear: () => void
}) {
  return (
    <KindFilter
      {...props}
      label="Platform"
      several="platforms"
      options={MAIN_PLATFORMS}
      rows={rows.map(({ platform }) => platform)}
      nameOf={platformName}
      renderOption={(slug) => <PlatformIcon slug={slug} />}
    />
  )
}

/** Which billing profiles are meant. There is nothing to choose from one. */
export function ProfileFilter({
  profiles,
  ...props
}: {
  /** All that the caller may see. */
  profiles: readonly Profile[]
  chosen: readonly string[]
  onToggle: (id: string) => void
  onClear: () => void
}) {
  return (
    <KindFilter
      {...props}
      label="Billing profile"
      several="billing profiles"
      options={profiles.map(({ id }) => id)}
      nameOf={(id) => escapeInvisible(profiles.find((profile) => profile.id === id)?.name ?? id)}
    />
  )
}

export type Profile = { id: string; name: string }
