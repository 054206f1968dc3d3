/** Second factor of a person, in addition to a password. */
export type Factor = {
  id: string
  kind: 'totp' | 'passkey'
  name: string
  /** Customer at which the factor counts exclusively; null: at all memberships of its person. */
  reach: string | null
  createdAt: Date
  /** Credential id of a passkey in base64url, and its transports; null for apps. */
  credential: string | null
  transports: readonly string[] | null
}

/** Details of a membership that decide which factors count there. */
export type FactorContext = {
  customerId: string
  factorsResetAt: Date | null
  /**
   * Whether the password may have been set by another person who saw the membership's link, such as an Admin of the
   * customer.
   */
  isIsolated: boolean
}

/** Details of a factor that decide where it counts; `createdAt` may be that of a recovery code. */
export type Reaching = Pick<Factor, 'reach' | 'createdAt'>

/**
 * Returns whether a factor counts at a membership. A factor of that customer does. A factor of the person does, unless
 * an Admin has reset the factors since its creation: that Admin can set a password by a link, and then a factor, which
 * counts at that customer only. A factor of the person does not count at an isolated membership either: asking for it
 * would reveal to an Admin that the address is known elsewhere.
 */
export function countsAt({ reach, createdAt }: Reaching, membership: FactorContext): boolean {
  if (reach !== null) return reach === membership.customerId
  return (
    !membership.isIsolated && (membership.factorsResetAt === null || createdAt > membership.factorsResetAt)
  )
}

/** Returns the verified method that stands for a factor of this scope. */
export function methodOfScope(factorScope: string | null): string {
  return `factor ${factorScope ?? 'of the person'}`
}

const SINCE = ' since '

/**
 * Returns the verified methods to store for a proven factor: its scope, and its scope with the time of its creation.
 */
export function verifiedMethodsOf({ reach, createdAt }: Reaching): string[] {
  return [methodOfScope(reach), `${methodOfScope(reach)}${SINCE}${createdAt.toISOString()}`]
}

/**
 * Returns whether a factor that counts at a membership was verified. After a reset, older factors of the person don't
 * count. Methods stored by earlier releases have no time, and count where no reset has happened.
 */
function isVerifiedAt(
  factorScope: string | null,
  membership: FactorContext,
  verifiedMethods: readonly string[],
): boolean {
  const method = methodOfScope(factorScope)
  if (!verifiedMethods.includes(method)) return false
  if (factorScope !== null || membership.factorsResetAt === null) return true
  const times = verifiedMethods
    .filter((one) => one.startsWith(method + SINCE))
    .map((one) => one.slice((method + SINCE).length))
  return times.some((time) => countsAt({ reach: factorScope, createdAt: new Date(time) }, membership))
}

/** Requirement that is left before a membership opens. */
export type Need = 'nothing' | 'factor' | 'set-up'

/** Membership as sign-in checks it: the factors that count, and whether a factor is mandatory. */
export type Guarded = FactorContext & { factors: readonly Factor[]; demandsFactor: boolean }

/** Returns what is still required. `set-up`: the customer demands a factor, and the person has none. */
export function needOf(membership: Guarded, verifiedMethods: readonly string[]): Need {
  const { factors, demandsFactor } = membership
  if (factors.length === 0) return demandsFactor ? 'set-up' : 'nothing'
  return factors.some(({ reach }) => isVerifiedAt(reach, membership, verifiedMethods)) ? 'nothing' : 'factor'
}

/**
 * Returns the scope of a factor that is set up in a session or during sign-in. It is the person (null), where the
 * person's own password was verified, and either the person has no factor or one of the person's scope was verified.
 * Otherwise it is this customer: an Admin may have set the password or reset the factors, and the operator of a
 * customer's identity provider can assert any identity.
 * @param all factors of the person, in any scope
 */
export function scopeOfNewFactor(
  all: readonly Pick<Factor, 'reach'>[],
  { customerId, isOwn, proven }: { customerId: string; isOwn: boolean; proven: readonly string[] },
): string | null {
  if (isOwn || proven.includes('issuer')) return customerId
  if (proven.includes(methodOfScope(null))) return null
  // A passkey of this customer's scope may have opened the session: the person's password was not verified then.
  return all.length === 0 && proven.includes('password') ? null : customerId
}

/**
 * Returns whether a passkey opens a membership without a password. A passkey of the customer does; a passkey of the
 * person opens the memberships that the person's password opens, and none with a password of its own.
 */
export function opensAlone({ reach }: Pick<Factor, 'reach'>, { isOwn }: { isOwn: boolean }): boolean {
  return reach !== null || !isOwn
}

/** Most factors of a person in one scope. */
export const MAX_FACTORS = 10
export const RECOVERY_CODES = 10

/** Parses a typed code, ignoring spaces and hyphens; undefined: not a code. */
export function codeOf(typed: string): { kind: 'totp' | 'recovery'; code: string } | undefined {
  const code = typed.replaceAll(/[\s-]/g, '').toUpperCase()
  if (/^\d{6}$/.test(code)) return { kind: 'totp', code }
  return /^[A-Z2-7]{16}$/.test(code) ? { kind: 'recovery', code } : undefined
}
