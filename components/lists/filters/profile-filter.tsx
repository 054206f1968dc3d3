import { visible } from '#components/ui/visible.ts'
import { KindFilter } from './kind-filter.tsx'

/** Which billing profiles are meant. There is nothing to choose from one. */
export function ProfileFilter({
  profiles,
  ...given
}: {
  /** All that the caller may see. */
  profiles: readonly Profile[]
  chosen: readonly string[]
  onToggle: (id: string) => void
  onClear: () => void
}) {
  return (
    <KindFilter
      {...given}
      label="Billing profile"
      several="billing profiles"
      known={profiles.map(({ id }) => id)}
      nameOf={(id) => visible(profiles.find((profile) => profile.id === id)?.name ?? id)}
    />
  )
}

export type Profile = { id: string; name: string }
