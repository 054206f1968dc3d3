import { ChoiceMenu } from '#components/ui/choice-menu.tsx'

export type Profile = { id: string; name: string }

/** What people call a billing profile; its id where its name is not known. */
export function profileName(profiles: readonly Profile[], id: string): string {
  return profiles.find((profile) => profile.id === id)?.name ?? id
}

/** Which billing profiles are meant. There is nothing to choose from one. */
export function ProfileFilter({
  profiles,
  chosen,
  onToggle,
}: {
  /** All that the caller may see. */
  profiles: readonly Profile[]
  chosen: readonly string[]
  onToggle: (id: string) => void
}) {
  if (profiles.length < 2) return null
  const [first] = chosen
  const one = first === undefined ? 'All billing profiles' : profileName(profiles, first)
  return (
    <ChoiceMenu
      label="Billing profile"
      summary={chosen.length > 1 ? `${chosen.length} billing profiles` : one}
      choices={profiles.map(({ id, name }) => ({ value: id, name }))}
      chosen={chosen}
      onToggle={onToggle}
    />
  )
}
