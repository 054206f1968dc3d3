import { ROLES, type Role } from '#lib/platform/caller/rules.ts'

/** Billing profiles that somebody may see; null: all of the customer's, also those that are added later. */
export type Profiles = readonly string[] | null

/** What somebody may do and see. */
export type MemberAccess = { roles: readonly Role[]; billingProfiles: Profiles }

/** Something that nobody can be given by who asks, since there is no such profile, or who asks does not have it; or can't lose. */
export type Violation =
  | { reason: 'unknown_profile'; at: number; profile: string }
  | { reason: 'role_not_held'; role: Role }
  | { reason: 'profile_not_held'; at: number; profile: string }
  | { reason: 'all_profiles_not_held' }
  | { reason: 'more_than_held' }
  | { reason: 'last_admin' | 'last_admin_by_sign_on' }

export const MEMBER_STATES = ['invited', 'active', 'disabled'] as const
export type MemberState = (typeof MEMBER_STATES)[number]

/** A member as far as it is decided what may become of them. */
export type MemberSnapshot = MemberAccess & { name: string; state: MemberState }

/** What is to become of a member; what is not named stays. */
export type MemberChange = {
  name?: string | undefined
  roles?: readonly Role[] | undefined
  billingProfiles?: Profiles | undefined
  disabled?: boolean | undefined
}

/**
 * What there is around a member who is changed: what whoever asks has to give, the ids of the customer's billing profiles,
 * how many other Admins can sign in, and whether passwords are off and no other of them is sure to get in without.
 */
export type Around = Giving & { otherAdmins: number; isLastBySignOn: boolean }

type Giving = { access: MemberAccess; profiles: readonly string[] }

/** A part of a member that changes, as the history has it. */
export type Difference =
  | { what: 'name'; from: string; to: string }
  | { what: 'roles'; from: readonly Role[]; to: readonly Role[] }
  | { what: 'billingProfiles'; from: Profiles; to: Profiles }
  | { what: 'disabled'; to: boolean }

/** What whoever gives nothing has to give, and what somebody had who was not there. */
export const NOTHING: MemberAccess = { roles: [], billingProfiles: [] }

/**
 * Whether somebody may be given this: nobody gives more than they have. What the member had before is not given anew.
 * @param profiles ids of the customer's billing profiles
 * @param before what the member has; nobody's for one who is invited
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

/** Whether whoever holds `held` has all that `other` has: only they may open the other's account by a link. */
export function holdsAll(access: MemberAccess, other: MemberAccess): boolean {
  return violationOf(other, { access, profiles: other.billingProfiles ?? [] }) === undefined
}

/** Roles in their one order, each once. */
export function sortRoles(roles: readonly Role[]): Role[] {
  return ROLES.filter((role) => roles.includes(role))
}

/** What a change of a member comes to: what differs, in the order of the history; or why it may not be. */
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
  // To let somebody in again is to give all that they have then.
  if (member.state === 'disabled' && after.state !== 'disabled' && !holdsAll(around.access, after))
    return { refused: { reason: 'more_than_held' } }
  if (isAdmin(member) && !isAdmin(after)) {
    if (around.otherAdmins === 0) return { refused: { reason: 'last_admin' } }
    if (around.isLastBySignOn) return { refused: { reason: 'last_admin_by_sign_on' } }
  }
  return { differences: differencesOf(member, change) }
}

/** Whether somebody counts as an Admin of the customer: one who can sign in. Who is invited has not come yet. */
export function isAdmin({ roles, state }: Pick<MemberSnapshot, 'roles' | 'state'>): boolean {
  return roles.includes('admin') && state === 'active'
}

/** Whether a change takes anything from a member: who does it to themselves needs another Admin to have it back. */
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

// Admin holds what the other roles hold (CONTRACT 1).
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
