import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { type Factor, type Guarded, needOf, opensAlone } from '../factors/rules.ts'

/** One customer's member, as sign-in sees it. */
export type Membership = {
  customerId: CustomerId
  customerName: string
  customerDomain: string
  memberId: string
  name: string
  email: string
  /** Argon2id of the password that opens it: its own, else its person's, where it is not apart. Null: none does. */
  passwordHash: string | null
  /** Whether that password is its own, and so opens no membership whose password is its person's. */
  isOwn: boolean
  isDisabled: boolean
  /** Whether it was taken away for good: such a one is disabled, too. */
  isRemoved: boolean
  /** Whether its person has not taken it up yet. */
  isInvited: boolean
  /** Whether its customer lets nobody in but by its own identity providers: no password opens it. */
  isSignOnOnly: boolean
  /** What its customer's identity providers prove with when they open it, of each that knows its person. */
  issuerDigests: readonly string[]
  /** Whether its account knows the browser that was asked about. */
  isRecognized: boolean
  /** The factors that count there. */
  factors: readonly Factor[]
  /** Whether its customer demands one. */
  demandsFactor: boolean
  /** When an Admin took away there what its person had set up until then. */
  factorsResetAt: Date | null
  /** Whether whoever took it up may be another than its person: neither their password nor their factors count there. */
  isIsolated: boolean
  /** Whether its customer is closed: its people read, and nobody joins. */
  isClosed: boolean
}

/** Whoever has an address, with all that they are a member of. */
export type Person = {
  /** Null: written before there were people, until a backfill comes by. */
  personId: string | null
  /** Argon2id of the password that opens what has none of its own. */
  passwordHash: string | null
  /** All second factors, wherever they count. */
  factors: readonly Factor[]
  memberships: readonly Membership[]
}

/**
 * Whom a password opens: the memberships whose password it is. An Admin may make a link to set a membership's password, and
 * redeem it: so such a password is that membership's own. One that is the person's was set by whoever gets mail at the
 * address, and opens all memberships that have none of their own.
 * @param hash of the password that was proven
 */
export function openedBy(hash: string, { memberships }: Pick<Person, 'memberships'>): Membership[] {
  return memberships.filter(
    ({ passwordHash, isDisabled, isInvited, isSignOnOnly }) =>
      passwordHash === hash && !isDisabled && !isInvited && !isSignOnOnly,
  )
}

/** All passwords that sign somebody in, each once. */
export function passwordsOf({ memberships }: Pick<Person, 'memberships'>): string[] {
  const open = memberships.filter(({ isDisabled, isSignOnOnly }) => !isDisabled && !isSignOnOnly)
  return [...new Set(open.flatMap(({ passwordHash }) => passwordHash ?? []))]
}

/**
 * The password by which a person takes up one more membership: their own, where it opens one that they have taken up. One of
 * a membership was perhaps set by an Admin of its customer, who would come in here with it.
 */
export function presentOf({ passwordHash, memberships }: Pick<Person, 'passwordHash' | 'memberships'>) {
  return passwordHash !== null && openedBy(passwordHash, { memberships }).length > 0
    ? passwordHash
    : undefined
}

/** Whom an issuer's proof opens: the membership of its own customer that it is bound to, wherever else its person is a member. */
export function openedByIssuer(
  credentialDigest: string,
  { memberships }: Pick<Person, 'memberships'>,
): Membership[] {
  return memberships.filter(
    ({ issuerDigests, isDisabled, isInvited }) =>
      issuerDigests.includes(credentialDigest) && !isDisabled && !isInvited,
  )
}

/** The memberships that a passkey alone opens, without a password. */
export function openedByPasskey(passkey: Factor, { memberships }: Pick<Person, 'memberships'>): Membership[] {
  const open = memberships.filter(
    ({ isDisabled, isInvited, isSignOnOnly }) => !isDisabled && !isInvited && !isSignOnOnly,
  )
  return open.filter((one) => one.factors.includes(passkey) && opensAlone(passkey, one))
}

/** What comes after a proof. `factor` and `set-up` are of one membership, where it is known already which. */
export type Step<M> =
  | { kind: 'refuse' }
  | { kind: 'pick' }
  | { kind: 'factor'; membership?: M; mayGoWithout: boolean }
  | { kind: 'set-up'; membership: M }
  | { kind: 'open'; membership: M }

/**
 * What comes next on the way from a proof to a session of one membership. A second factor is asked for ahead of the pick,
 * so that a password alone does not tell of which customers somebody is a member.
 * @param memberships that the proof opens
 * @param proven all that was proven
 * @param picked the customer that was picked of them, once one was
 */
export function nextStep<M extends Pick<Membership, 'customerId'> & Guarded>({
  memberships,
  proven,
  picked,
}: {
  memberships: readonly M[]
  proven: readonly string[]
  picked?: string | undefined
}): Step<M> {
  if (memberships.length === 0) return { kind: 'refuse' }
  const only = memberships.length === 1 ? memberships[0] : undefined
  const membership = picked === undefined ? only : memberships.find((one) => one.customerId === picked)
  if (!membership) {
    const open = pickable(memberships, proven)
    const needsFactor = picked === undefined && open.length < memberships.length && !hasFactor(proven)
    return needsFactor ? { kind: 'factor', mayGoWithout: open.length > 0 } : { kind: 'pick' }
  }
  const need = needOf(membership, proven)
  if (need === 'nothing') return { kind: 'open', membership }
  return need === 'factor'
    ? { kind: 'factor', membership, mayGoWithout: false }
    : { kind: 'set-up', membership }
}

/** The memberships that may be named to whoever has proven this: before any factor was, those that need none. */
export function pickable<M extends Guarded>(
  memberships: readonly M[],
  verifiedMethods: readonly string[],
): M[] {
  return memberships.filter((one) => hasFactor(verifiedMethods) || needOf(one, verifiedMethods) !== 'factor')
}

function hasFactor(verifiedMethods: readonly string[]): boolean {
  return verifiedMethods.some((one) => one.startsWith('factor '))
}
