/** Purpose of a link: to accept a membership, or to set a new password. */
export type LinkKind = 'invitation' | 'reset'

/** Lifetime of a link, in seconds. */
export const LINK_SECONDS: Record<LinkKind, number> = { invitation: 7 * 24 * 60 * 60, reset: 30 * 60 }

/** State of a link. */
export type LinkState = 'open' | 'used' | 'withdrawn' | 'expired'

/**
 * Returns the state of a link. `used` comes first, so that a member who opens their link again learns that it was
 * redeemed.
 */
export function stateOf(link: { isUsed: boolean; isWithdrawn: boolean; isExpired: boolean }): LinkState {
  if (link.isUsed) return 'used'
  if (link.isWithdrawn) return 'withdrawn'
  return link.isExpired ? 'expired' : 'open'
}

/** Scope of a password that is set by a link: see lib/identity/access/people/rules.ts. */
export type PasswordScope = 'person' | 'membership'

/**
 * Returns whether a password set by a link is the membership's or the person's. A copied link may be redeemed by the
 * Admin who made it, so it sets the membership's own password. A mailed link proves control of the address, so it sets
 * the person's password, except that an invitation does not replace an existing password, and no link does while the
 * person is away: see lib/identity/access/people/change.ts.
 */
export function passwordScopeOf(
  kind: LinkKind | 'recovery',
  { isMailed, hasPassword, isAway }: { isMailed: boolean; hasPassword: boolean; isAway: boolean },
): PasswordScope {
  if (!isMailed || isAway) return 'membership'
  return kind === 'invitation' && hasPassword ? 'membership' : 'person'
}
