/** What a link that is made for a member is for: to take up the membership, or to set its password anew. */
export type LinkKind = 'invitation' | 'reset'

/** How long a link can be used, in seconds. */
export const LINK_SECONDS: Record<LinkKind, number> = { invitation: 7 * 24 * 60 * 60, reset: 30 * 60 }

/** What is left of a link. */
export type LinkState = 'open' | 'used' | 'withdrawn' | 'expired'

/** Used comes first: whoever opens their link again is told that it has done its work. */
export function stateOf(link: { isUsed: boolean; isWithdrawn: boolean; isExpired: boolean }): LinkState {
  if (link.isUsed) return 'used'
  if (link.isWithdrawn) return 'withdrawn'
  return link.isExpired ? 'expired' : 'open'
}

/** Whom a new password opens that is set by a link: see lib/identity/access/people/rules.ts. */
export type PasswordScope = 'person' | 'membership'

/**
 * Whom a password opens that is set by a link. A link that was shown to whoever made it may be redeemed by them: it sets that
 * membership's own password. One that was mailed proves the address, so it sets its person's; but an invitation takes no
 * password away that somebody has elsewhere, nor does any link while its person is away: see lib/identity/access/people/change.ts.
 */
export function passwordScopeOf(
  kind: LinkKind | 'recovery',
  { isMailed, hasPassword, isAway }: { isMailed: boolean; hasPassword: boolean; isAway: boolean },
): PasswordScope {
  if (!isMailed || isAway) return 'membership'
  return kind === 'invitation' && hasPassword ? 'membership' : 'person'
}
