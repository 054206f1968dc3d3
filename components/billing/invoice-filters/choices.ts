/** Choices of the filters: all values that the caller may see. */
export type FilterChoices = {
  profiles: readonly { id: string; name: string }[]
  issuers: readonly string[]
  platforms: readonly string[]
  currencies: readonly string[]
}

/** Returns the name of a billing profile; its id where the caller may not see the profile. */
export function profileName({ profiles }: Pick<FilterChoices, 'profiles'>, id: string): string {
  return profiles.find((profile) => profile.id === id)?.name ?? id
}
