import { ROLES, type Role } from '#lib/platform/caller/rules.ts'

/** Access that a group grants to its members; null roles: the group is not mapped. */
export type Mapping = { roles: readonly Role[] | null; billingProfiles: readonly string[] | null }

/**
 * Returns the access of a member of these groups: the union of the roles, and of the billing profiles. Groups that are
 * not mapped grant nothing; without a mapped group the access is empty.
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

/** Names of a user in a request; null removes one. */
export type Names = {
  displayName?: string | null
  formatted?: string | null
  givenName?: string | null
  familyName?: string | null
}

/** Returns the name of a member from the names of a directory: the display name, the formatted name, or its parts. */
export function memberName(
  { displayName, formatted, ...parts }: Names,
  before: { name: string; givenName: string | null; familyName: string | null },
): string {
  const { givenName = before.givenName, familyName = before.familyName } = parts
  const hasNameParts = parts.givenName !== undefined || parts.familyName !== undefined
  const joined = [givenName, familyName].filter(Boolean).join(' ')
  return displayName || formatted || (hasNameParts && joined) || before.name
}
