import { type Caller, maySeeOthers, ROLE_NAMES, ROLES, type Role } from '#lib/platform/caller/rules.ts'

/** Owners of the listed keys: the caller, or the whole customer. */
export const WHOSE = ['own', 'all'] as const

/** Filter of the list: usable keys, or ended ones. */
export const STATES = ['usable', 'ended'] as const

/** Status of a key; keys with one of the first two are usable. */
export const STATUSES = ['ACTIVE', 'ROTATING', 'ROTATED', 'EXPIRED', 'REVOKED', 'ISSUER_DISABLED'] as const
export type KeyStatus = (typeof STATUSES)[number]

/** Owner of a key: it ends with its issuer's membership, or not before the customer. */
export const OWNERS = ['MEMBER', 'CUSTOMER'] as const
export type Owner = (typeof OWNERS)[number]

/** Time that the former key stays valid after a rotation. */
export const OVERLAPS = ['now', '1h', '24h', '7d'] as const
export type Overlap = (typeof OVERLAPS)[number]
export const OVERLAP_HOURS: Record<Overlap, number> = { now: 0, '1h': 1, '24h': 24, '7d': 168 }
export const DEFAULT_OVERLAP: Overlap = '24h'

/** Default lifetime of a key, in days. */
export const DEFAULT_DAYS = 90
/** Longest lifetime of a key with an expiry, in days, whatever the settings allow. */
export const MAX_DAYS = 3660
/** Days without use after which a key is marked as unused. */
export const UNUSED_DAYS = 60
/** Days before the expiry when the owner is notified. */
export const EXPIRY_NOTICE_DAYS = 7
/** Most networks of one key. */
export const MAX_RANGES = 20
/** Most self-rotations of a key and its successors per hour. */
export const MAX_SELF_ROTATIONS = 10
export const NAME_MAX = 100
/** Most texts of one report of leaked keys. */
export const MAX_LEAKED_TOKENS = 100

type CallerIdentity = Pick<Caller, 'via' | 'id' | 'roles'>

/** Keys that a caller may see or change. */
export type KeyScope = 'all' | { issuedBy: string } | { keyId: string }

/** Returns the scope of the caller's own keys: those that a member has issued, or a key itself. */
export function callerKeyScope({ via, id }: Pick<Caller, 'via' | 'id'>): KeyScope {
  if (via === 'operator') return 'all'
  return via === 'session' ? { issuedBy: id } : { keyId: id }
}

/** Returns the scope of all keys that the caller may see, rename and revoke. */
export function keyScopeOf(caller: CallerIdentity): KeyScope {
  return maySeeOthers(caller) ? 'all' : callerKeyScope(caller)
}

/** Returns whether a key is in a scope. */
export function isWithin(keyScope: KeyScope, key: { id: string; issuedBy: string | null }): boolean {
  if (keyScope === 'all') return true
  return 'keyId' in keyScope ? key.id === keyScope.keyId : key.issuedBy === keyScope.issuedBy
}

/** Returns the roles that a caller may grant to a key: an Admin's permissions include all roles. */
export function givableRoles({ roles }: Pick<Caller, 'roles'>): Role[] {
  return roles.includes('admin') ? [...ROLES] : ROLES.filter((role) => roles.includes(role))
}

/** Requested properties of a new key. */
export type KeyRequest = {
  roles: readonly Role[]
  /** Undefined: all that its owner sees, now and later. */
  billingProfiles?: readonly string[] | undefined
  owner: Owner
  /** Lifetime in days; null: no expiry; undefined: the default. */
  validDays?: number | null | undefined
}

/** Limits by the operator: longest lifetime in days, and whether keys without an expiry are allowed. */
export type KeyLimits = { mostDays: number; withoutEnd: boolean }

/** Returns the limits for a caller. The operator's command may always issue a key without an expiry. */
export function limitsFor({ via }: Pick<Caller, 'via'>, { mostDays, withoutEnd }: KeyLimits): KeyLimits {
  return { mostDays, withoutEnd: withoutEnd || via === 'operator' }
}

/** Returns the lifetime in days; null: no expiry. */
export function daysOf({ validDays }: Pick<KeyRequest, 'validDays'>, { mostDays }: KeyLimits): number | null {
  return validDays === undefined ? Math.min(DEFAULT_DAYS, mostDays) : validDays
}

export type Decision =
  | { allowed: true }
  | { allowed: false; because: 'too-much' | 'too-long'; field: keyof KeyRequest; reason: string }

/** Returns whether the caller may issue a key: no key has more access than its issuer. */
export function decideIssue(
  caller: Pick<Caller, 'roles' | 'billingProfiles'>,
  { roles, billingProfiles = [], owner, validDays }: KeyRequest,
  { mostDays, withoutEnd }: KeyLimits,
): Decision {
  const denied = (because: 'too-much' | 'too-long', field: keyof KeyRequest, reason: string) =>
    ({ allowed: false, because, field, reason }) as const
  const missing = roles.find((role) => !givableRoles(caller).includes(role))
  if (missing)
    return denied('too-much', 'roles', `has the role ${ROLE_NAMES[missing]}, which you do not hold`)
  if (billingProfiles.some((id) => !caller.billingProfiles.includes(id)))
    return denied('too-much', 'billingProfiles', 'has a billing profile that you do not have')
  if (owner === 'CUSTOMER' && !maySeeOthers(caller))
    return denied('too-much', 'owner', 'may be the customer only where an Admin says so')
  if (validDays === null && !withoutEnd)
    return denied(
      'too-long',
      'validDays',
      `may not be null: here each key ends after ${mostDays} days at most`,
    )
  if (validDays && validDays > mostDays) return denied('too-long', 'validDays', `may be ${mostDays} at most`)
  return { allowed: true }
}

/** Details of a key that decide about its rotation. */
type Rotated = { id: string; status: KeyStatus; owner: Owner; issuedBy: string | null }

/**
 * Returns whether the caller may get the successor of this key. It grants the same access, so only the issuer gets it,
 * and an Admin does not; keys of the customer are rotated by signed-in Admins.
 */
export function decideRotation(
  { via, id, roles }: CallerIdentity,
  key: Rotated,
): { allowed: true } | { allowed: false; because: 'not-own' | 'ended' } {
  const isOwner = via === 'key' ? key.id === id : key.owner === 'MEMBER' && key.issuedBy === id
  const isCustomers = via === 'session' && key.owner === 'CUSTOMER' && roles.includes('admin')
  if (via !== 'operator' && !isOwner && !isCustomers) return { allowed: false, because: 'not-own' }
  return key.status === 'ACTIVE' ? { allowed: true } : { allowed: false, because: 'ended' }
}
