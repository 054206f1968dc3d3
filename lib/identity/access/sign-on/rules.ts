import type { Role } from '#lib/platform/caller/rules.ts'

/** Mapping from a value of a claim to a role or a billing profile. */
export type Mapping = { claim: string; value: string } & ({ role: Role } | { profile: string })

/** Claims of an issuer about a person. */
export type Claims = Readonly<Record<string, unknown>>

/** Settings of a provider for members who sign in by it. */
export type Agreed = { joinRoles: Role[] | null; mappings: readonly Mapping[]; verifiedClaim: string }

/** The domain of a mail address, in lower case; undefined where it is none. */
export function domainOf(email: string): string | undefined {
  const [, domain] = /^[^@\s]+@([^@\s]+)$/.exec(email.trim()) ?? []
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

/** The billing profiles that claims give; null where no claim is asked for them. */
export function profilesBy(claims: Claims, { mappings }: Agreed): string[] | null {
  const profileMappings = mappings.flatMap((one) => ('profile' in one ? [one] : []))
  if (profileMappings.length === 0) return null
  const matches = profileMappings.filter((one) => valuesOf(claims, one.claim).includes(one.value))
  return [...new Set(matches.map(({ profile }) => profile))].sort()
}

/** The claims that have to be there before these rules can be asked. */
export function claimsNeeded({ mappings, verifiedClaim }: Agreed): string[] {
  return ['email', verifiedClaim, ...new Set(mappings.map(({ claim }) => claim))]
}

/** A name to show: as the issuer has it, else the address. */
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

/** A claim holds one value, or a list of them; `realm_access.roles` is a claim within another one. */
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
