import type { Role } from '#lib/platform/caller/rules.ts'

/** Mapping from a value of a claim to a role or a billing profile. */
export type Mapping = { claim: string; value: string } & ({ role: Role } | { profile: string })

/** Claims of an issuer about a person. */
export type Claims = Readonly<Record<string, unknown>>

/** Settings of a provider for members who sign in by it. */
export type Agreed = { joinRoles: Role[] | null; mappings: readonly Mapping[]; verifiedClaim: string }

/** Returns the domain of a mail address in lower case; undefined where it is not an address. */
export function domainOf(email: string): string | undefined {
  const [, domain] = /^[^@\s\p{Cc}]+@([^@\s\p{Cc}]+)$/u.exec(email.trim()) ?? []
  return domain?.toLowerCase()
}

/**
 * Returns whether the issuer asserts that the address is verified. Some issuers send text or a number instead of a
 * boolean.
 */
export function isVerified(claims: Claims, claim: string): boolean {
  return [true, 'true', 1, '1'].some((yes) => claims[claim] === yes)
}

/**
 * Returns the roles of a person's claims; null where no claim is mapped to a role. Where the claims match none, the
 * join roles apply; an empty list: the person may not enter.
 */
export function rolesBy(claims: Claims, { mappings, joinRoles }: Agreed): Role[] | null {
  const roleMappings = mappings.flatMap((one) => ('role' in one ? [one] : []))
  if (roleMappings.length === 0) return null
  const matches = roleMappings.filter((one) => valuesOf(claims, one.claim).includes(one.value))
  return matches.length > 0 ? [...new Set(matches.map(({ role }) => role))] : (joinRoles ?? [])
}

/** Returns the billing profiles of a person's claims; null where no claim is mapped to a billing profile. */
export function profilesBy(claims: Claims, { mappings }: Agreed): string[] | null {
  const profileMappings = mappings.flatMap((one) => ('profile' in one ? [one] : []))
  if (profileMappings.length === 0) return null
  const matches = profileMappings.filter((one) => valuesOf(claims, one.claim).includes(one.value))
  return [...new Set(matches.map(({ profile }) => profile))].sort()
}

/** Returns the claims that these rules read. */
export function claimsNeeded({ mappings, verifiedClaim }: Agreed): string[] {
  return ['email', verifiedClaim, ...new Set(mappings.map(({ claim }) => claim))]
}

/** Returns the display name: that of the claims, else the address. */
export function nameBy(claims: Claims, email: string): string {
  const text = (claim: string) => {
    const value = claims[claim]
    return typeof value === 'string' ? value.replaceAll(/\p{C}/gu, ' ').trim() : ''
  }
  const parts = `${text('given_name')} ${text('family_name')}`.trim()
  return (text('name') || parts || email).slice(0, 200).toWellFormed()
}

/**
 * Returns whether the person authenticated at the issuer after our request.
 * @param since in milliseconds since 1970; the clock of the issuer may be a minute behind ours
 */
export function isSignedInSince(claims: Claims, since: number): boolean {
  const { auth_time: at } = claims
  return typeof at === 'number' && at * 1000 >= since - 60_000
}

/** Returns the values of a claim, which may be single or a list; `realm_access.roles` names a nested claim. */
function valuesOf(claims: Claims, claim: string): string[] {
  const whole = claims[claim]
  const value = whole === undefined ? within(claims, claim.split('.')) : whole
  return (Array.isArray(value) ? value : [value]).map(String)
}

function within(claims: Claims, [first = '', ...more]: readonly string[]): unknown {
  const value = claims[first]
  if (more.length === 0) return value
  return typeof value === 'object' && value !== null ? within(value as Claims, more) : undefined
}
