import { ROLES, type Role } from '#lib/platform/caller/rules.ts'

/** What a group gives to its members; without roles, nobody has said it yet. */
export type Mapping = { roles: readonly Role[] | null; billingProfiles: readonly string[] | null }

/**
 * What the members of these groups have: each role of any of them, and the billing profiles of all of them together. Groups
 * that nobody has mapped give nothing; who is in no other has nothing.
 */
export function accessOfGroups(groups: readonly Mapping[]) {
  const mapped = groups.filter(({ roles }) => roles !== null)
  const all = mapped.some(({ billingProfiles }) => billingProfiles === null)
  return {
    roles: ROLES.filter((role) => mapped.some(({ roles }) => roles?.includes(role))),
    billingProfiles: all
      ? null
      : [...new Set(mapped.flatMap(({ billingProfiles }) => billingProfiles ?? []))],
  }
}

/** A user's names as far as a request gives them; null takes one away. */
export type Names = {
  displayName?: string | null
  formatted?: string | null
  givenName?: string | null
  familyName?: string | null
}

/** What a member is called, whom a directory names in parts: by the whole name where it gives one. */
export function memberName(
  { displayName, formatted, ...parts }: Names,
  before: { name: string; givenName: string | null; familyName: string | null },
): string {
  const { givenName = before.givenName, familyName = before.familyName } = parts
  const hasNameParts = parts.givenName !== undefined || parts.familyName !== undefined
  const joined = [givenName, familyName].filter(Boolean).join(' ')
  return displayName || formatted || (hasNameParts && joined) || before.name
}
