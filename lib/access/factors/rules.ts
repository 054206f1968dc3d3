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
type Place = { customerId: string; factorsResetAt: Date | null }

/**
 * Whether a factor counts at a membership: one of its own does. One that is the person's does, but where an Admin has taken
 * the factors away since. That Admin can set a password there by a link, and then a factor: so that one counts there alone.
 */
export function countsAt({ reach, createdAt }: Pick<Factor, 'reach' | 'createdAt'>, place: Place): boolean {
  if (reach !== null) return reach === place.customerId
  return place.factorsResetAt === null || createdAt > place.factorsResetAt
}

/** How it is written down among all that was proven that a factor of this reach was. */
export function provenBy(reach: string | null): string {
  return `factor ${reach ?? 'of the person'}`
}

/** What is still needed before a membership opens to whoever has proven `proven`. */
export type Need = 'nothing' | 'factor' | 'set-up'

/** What sign-in needs to know of a membership: the factors that count there, and whether one is demanded. */
export type Guarded = { factors: readonly Factor[]; demandsFactor: boolean }

/** `set-up`: there is no factor yet, and the customer demands one. */
export function needOf({ factors, demandsFactor }: Guarded, proven: readonly string[]): Need {
  if (factors.length === 0) return demandsFactor ? 'set-up' : 'nothing'
  return factors.some(({ reach }) => proven.includes(provenBy(reach))) ? 'nothing' : 'factor'
}

/**
 * Where a factor counts that is set up in a session, or on the way to one. Everywhere, where the password that was proven is
 * its person's, and either they have no factor at all, or one that counts everywhere was proven. Else at this customer
 * alone: whoever sets it up may be an Admin who has set the password, or has taken the former factors away, and whoever runs
 * a customer's identity provider can have it say that they are anybody.
 * @param all factors of the person, wherever they count
 */
export function reachOfNew(
  all: readonly Pick<Factor, 'reach'>[],
  { customerId, isOwn, proven }: { customerId: string; isOwn: boolean; proven: readonly string[] },
): string | null {
  if (isOwn || proven.includes('issuer')) return customerId
  if (proven.includes(provenBy(null))) return null
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
export const MOST_FACTORS = 10
export const RECOVERY_CODES = 10

/** A code as it was typed, without what people put in between; undefined for what can be none. */
export function codeOf(typed: string): { kind: 'totp' | 'recovery'; code: string } | undefined {
  const code = typed.replaceAll(/[\s-]/g, '').toUpperCase()
  if (/^\d{6}$/.test(code)) return { kind: 'totp', code }
  return /^[A-Z2-7]{16}$/.test(code) ? { kind: 'recovery', code } : undefined
}
