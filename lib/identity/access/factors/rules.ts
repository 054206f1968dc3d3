/** What a person proves who they are with, beside a password. */
export type Factor = {
  id: string
  kind: 'totp' | 'passkey'
  name: string
  /** The customer at whom alone it counts; null: wherever its person is a member. */
  reach: string | null
  createdAt: Date
  /** Of a passkey: its id, as browsers write it, and how they find it. */
  credential: string | null
  transports: readonly string[] | null
}

/** A membership, as far as it is decided which factors count there. */
export type FactorContext = {
  customerId: string
  factorsResetAt: Date | null
  /** Whether its password was set by whoever was shown its link: an Admin of the customer, perhaps. */
  isIsolated: boolean
}

/** A factor as far as it is decided where it counts; `createdAt` may be of a recovery code. */
export type Reaching = Pick<Factor, 'reach' | 'createdAt'>

/**
 * Whether a factor counts at a membership: one of its own does. One that is the person's does, but where an Admin has taken
 * the factors away since. That Admin can set a password there by a link, and then a factor: so that one counts there alone.
 * Nor does it count at a membership that is apart: to ask for it would tell an Admin that the address is known elsewhere.
 */
export function countsAt({ reach, createdAt }: Reaching, membership: FactorContext): boolean {
  if (reach !== null) return reach === membership.customerId
  return (
    !membership.isIsolated && (membership.factorsResetAt === null || createdAt > membership.factorsResetAt)
  )
}

/** How it is written down among all that was proven that a factor of this reach was. */
export function methodOfScope(factorScope: string | null): string {
  return `factor ${factorScope ?? 'of the person'}`
}

const SINCE = ' since '

/** How it is written down that a factor was proven: that one of its reach was, and of which time it is. */
export function verifiedMethodsOf({ reach, createdAt }: Reaching): string[] {
  return [methodOfScope(reach), `${methodOfScope(reach)}${SINCE}${createdAt.toISOString()}`]
}

/**
 * Whether a factor was proven that counts at a membership. Where an Admin has taken factors away, another one of the person's
 * does not stand for them; what a release before wrote down has no time, and counts where nothing was taken away.
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

/** What is still needed before a membership opens to whoever has proven `proven`. */
export type Need = 'nothing' | 'factor' | 'set-up'

/** What sign-in needs to know of a membership: the factors that count there, and whether one is demanded. */
export type Guarded = FactorContext & { factors: readonly Factor[]; demandsFactor: boolean }

/** `set-up`: there is no factor yet, and the customer demands one. */
export function needOf(membership: Guarded, verifiedMethods: readonly string[]): Need {
  const { factors, demandsFactor } = membership
  if (factors.length === 0) return demandsFactor ? 'set-up' : 'nothing'
  return factors.some(({ reach }) => isVerifiedAt(reach, membership, verifiedMethods)) ? 'nothing' : 'factor'
}

/**
 * Where a factor counts that is set up in a session, or on the way to one. Everywhere, where the password that was proven is
 * its person's, and either they have no factor at all, or one that counts everywhere was proven. Else at this customer
 * alone: whoever sets it up may be an Admin who has set the password, or has taken the former factors away, and whoever runs
 * a customer's identity provider can have it say that they are anybody.
 * @param all factors of the person, wherever they count
 */
export function scopeOfNewFactor(
  all: readonly Pick<Factor, 'reach'>[],
  { customerId, isOwn, proven }: { customerId: string; isOwn: boolean; proven: readonly string[] },
): string | null {
  if (isOwn || proven.includes('issuer')) return customerId
  if (proven.includes(methodOfScope(null))) return null
  // A passkey of this customer's alone may have opened the session: no password of the person's was proven then.
  return all.length === 0 && proven.includes('password') ? null : customerId
}

/**
 * Whether a passkey alone opens a membership: one of its own does; one that is the person's opens what their own password
 * does, and nothing that has a password of its own.
 */
export function opensAlone({ reach }: Pick<Factor, 'reach'>, { isOwn }: { isOwn: boolean }): boolean {
  return reach !== null || !isOwn
}

/** So many factors anybody may have at one place. */
export const MAX_FACTORS = 10
export const RECOVERY_CODES = 10

/** A code as it was typed, without what people put in between; undefined for what can be none. */
export function codeOf(typed: string): { kind: 'totp' | 'recovery'; code: string } | undefined {
  const code = typed.replaceAll(/[\s-]/g, '').toUpperCase()
  if (/^\d{6}$/.test(code)) return { kind: 'totp', code }
  return /^[A-Z2-7]{16}$/.test(code) ? { kind: 'recovery', code } : undefined
}
