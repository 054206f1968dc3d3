import { ROLES, type Role } from '#lib/platform/caller/rules.ts'

/** Visible billing profiles; null: all of the customer's, including those added later. */
export type Profiles = readonly string[] | null

/** Access of a member: roles and billing profiles. */
export type MemberAccess = { roles: readonly Role[]; billingProfiles: Profiles }

/**
 * Reason why access can't be granted, because the profile does not exist or the caller lacks it, or can't be removed.
 */
export type Violation =
  | { reason: 'unknown_profile'; at: number; profile: string }
  | { reason: 'role_not_held'; role: Role }
  | { reason: 'profile_not_held'; at: number; profile: string }
  | { reason: 'all_profiles_not_held' }
  | { reason: 'more_than_held' }
  | { reason: 'last_admin' | 'last_admin_by_sign_on' }

export const MEMBER_STATES = ['invited', 'active', 'disabled'] as const
export type MemberState = (typeof MEMBER_STATES)[number]

/** State of a member that decides about changes. */
export type MemberSnapshot = MemberAccess & { name: string; state: MemberState }

/** Requested change of a member; undefined fields stay as they are. */
export type MemberChange = {
  name?: string | undefined
  roles?: readonly Role[] | undefined
  billingProfiles?: Profiles | undefined
  disabled?: boolean | undefined
}

/**
 * Context of a change: the access that the caller may grant, the ids of the customer's billing profiles, the number of
 * other Admins who can sign in, and whether passwords are off and no other Admin certainly gets in without.
 */
export type Around = Giving & { otherAdmins: number; isLastBySignOn: boolean }

type Giving = { access: MemberAccess; profiles: readonly string[] }

/** Changed field of a member, as the audit log records it. */
export type Difference =
  | { what: 'name'; from: string; to: string }
  | { what: 'roles'; from: readonly Role[]; to: readonly Role[] }
  | { what: 'billingProfiles'; from: Profiles; to: Profiles }
  | { what: 'disabled'; to: boolean }

/** Access of a caller who may grant nothing, and of a member before they were added. */
export const NOTHING: MemberAccess = { roles: [], billingProfiles: [] }

/**
 * Returns why this access can't be granted: no caller grants more than they have. Access that the member had before
 * does not count as granted.
 * @param profiles ids of the customer's billing profiles
 * @param before the member's access; `NOTHING` for an invitation
 */
export function violationOf(
  requested: Partial<MemberAccess>,
  { access, profiles }: Giving,
  before: MemberAccess = NOTHING,
): Violation | undefined {
  const role = requested.roles?.find((one) => !holdsRole(before, one) && !holdsRole(access, one))
  if (role) return { reason: 'role_not_held', role }
  const { billingProfiles: requestedProfiles } = requested
  if (requestedProfiles === undefined) return undefined
  if (requestedProfiles === null)
    return before.billingProfiles === null || access.billingProfiles === null
      ? undefined
      : { reason: 'all_profiles_not_held' }
  const unknown = requestedProfiles.findIndex((profile) => !profiles.includes(profile))
  if (unknown >= 0)
    return { reason: 'unknown_profile', at: unknown, profile: requestedProfiles[unknown] ?? '' }
  const foreign = requestedProfiles.findIndex(
    (profile) => !sees(before.billingProfiles, profile) && !sees(access.billingProfiles, profile),
  )
  return foreign >= 0
    ? { reason: 'profile_not_held', at: foreign, profile: requestedProfiles[foreign] ?? '' }
    : undefined
}

/** Returns whether `access` includes `other`: only such a caller may open the other account by a link. */
export function holdsAll(access: MemberAccess, other: MemberAccess): boolean {
  return violationOf(other, { access, profiles: other.billingProfiles ?? [] }) === undefined
}

/** Returns the roles in canonical order, each once. */
export function sortRoles(roles: readonly Role[]): Role[] {
  return ROLES.filter((role) => roles.includes(role))
}

/** Returns the changed fields, in the order of the audit log, or the violation that forbids the change. */
export function decideChange(
  member: MemberSnapshot,
  change: MemberChange,
  around: Around,
): { refused: Violation } | { differences: Difference[] } {
  const { roles, billingProfiles } = change
  const requested = {
    ...(roles ? { roles } : {}),
    ...(billingProfiles === undefined ? {} : { billingProfiles }),
  }
  const violation = violationOf(requested, around, member)
  if (violation) return { refused: violation }
  const after = changed(member, change)
  // Enabling a member grants all access that they have afterwards.
  if (member.state === 'disabled' && after.state !== 'disabled' && !holdsAll(around.access, after))
    return { refused: { reason: 'more_than_held' } }
  if (isAdmin(member) && !isAdmin(after)) {
    if (around.otherAdmins === 0) return { refused: { reason: 'last_admin' } }
    if (around.isLastBySignOn) return { refused: { reason: 'last_admin_by_sign_on' } }
  }
  return { differences: differencesOf(member, change) }
}

/** Returns whether a member counts as an Admin: one who can sign in, so not an invited one. */
export function isAdmin({ roles, state }: Pick<MemberSnapshot, 'roles' | 'state'>): boolean {
  return roles.includes('admin') && state === 'active'
}

/** Returns whether a change removes access: members who do so to themselves need another Admin to get it back. */
export function isLoss(member: MemberSnapshot, change: MemberChange): boolean {
  const after = changed(member, change)
  return !holdsAll(after, member) || (member.state !== 'disabled' && after.state === 'disabled')
}

function changed(member: MemberSnapshot, { roles, billingProfiles, disabled }: MemberChange): MemberSnapshot {
  const enabled = member.state === 'disabled' ? 'active' : member.state
  const state = disabled === undefined ? member.state : disabled ? 'disabled' : enabled
  const profiles = billingProfiles === undefined ? member.billingProfiles : billingProfiles
  return { ...member, roles: roles ?? member.roles, billingProfiles: profiles, state }
}

function differencesOf(member: MemberSnapshot, change: MemberChange): Difference[] {
  const { name = member.name, billingProfiles, disabled } = change
  const [from, to] = [sortRoles(member.roles), sortRoles(change.roles ?? member.roles)]
  const differences: Difference[] = []
  if (name !== member.name) differences.push({ what: 'name', from: member.name, to: name })
  if (!isSame(from, to)) differences.push({ what: 'roles', from, to })
  if (billingProfiles !== undefined && !isSame(billingProfiles, member.billingProfiles))
    differences.push({ what: 'billingProfiles', from: member.billingProfiles, to: billingProfiles })
  if (disabled !== undefined && disabled !== (member.state === 'disabled'))
    differences.push({ what: 'disabled', to: disabled })
  return differences
}

// Admin includes all other roles.
function holdsRole({ roles }: MemberAccess, role: Role): boolean {
  return roles.includes('admin') || roles.includes(role)
}

function sees(profiles: Profiles, profile: string): boolean {
  return profiles === null || profiles.includes(profile)
}

function isSame(one: Profiles, other: Profiles): boolean {
  if (one === null || other === null) return one === other
  return one.length === other.length && one.every((id) => other.includes(id))
}
