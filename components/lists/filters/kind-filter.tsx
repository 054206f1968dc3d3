import { type ReactNode, useState } from 'react'
import { PlatformIcon } from '#components/platform/values/platform-icon.tsx'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import { Choices, FilterMenu } from '#components/ui/filter-menu.tsx'
import { platformName } from '#lib/platform/values/platforms.ts'

/**
 * Filter by a kind that a list's rows have, such as their issuer. Offers the `known` values, and those that the address
 * or the rows have contained so far, because a selection hides the rows with other values.
 */
export function KindFilter({
  label,
  several,
  options,
  selected,
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
  selected: readonly string[]
  rows?: readonly string[]
  nameOf?: (value: string) => string
  renderOption?: (value: string) => ReactNode
  onToggle: (value: string) => void
  onClear: () => void
}) {
  const [offered, setOffered] = useState(options)
  const all = [...new Set([...offered, ...options, ...selected, ...rows])]
  if (all.length > offered.length) setOffered(all)
  const [first] = selected
  // A single value needs no choice.
  if (all.length < 2 && first === undefined) return null
  const one = first === undefined ? undefined : nameOf(first)
  return (
    <FilterMenu
      label={label}
      off={`All ${several}`}
      value={selected.length > 1 ? `${selected.length} ${several}` : one}
      onClear={onClear}
    >
      {() => (
        <Choices
          label={label}
          choices={all.map((value) => ({ value, name: renderOption(value) }))}
          selected={selected}
          onToggle={onToggle}
        />
      )}
    </FilterMenu>
  )
}

const MAIN_PLATFORMS = ['workspace-suite', 'office-suite', 'cloud-platform', 'web-services']

/**
 * Filter by any number of platforms: the four known ones, and those that the filter or the rows have contained so far.
 */
export function PlatformFilter({
  rows,
  ...props
}: {
  selected: readonly string[]
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

/** Filter by billing profiles; renders nothing for a single profile. */
export function ProfileFilter({
  profiles,
  ...props
}: {
  /** All profiles that the caller may see. */
  profiles: readonly Profile[]
  selected: readonly string[]
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
