import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { type Factor, type Guarded, needOf, opensAlone } from '../factors/rules.ts'

/** Membership of a customer, with the details that sign-in needs. */
export type Membership = {
  customerId: CustomerId
  customerName: string
  customerDomain: string
  memberId: string
  name: string
  email: string
  /**
   * Argon2id hash of the password that opens the membership: its own, or its person's unless it is isolated. Null: no
   * password does.
   */
  passwordHash: string | null
  /** Whether the password is the membership's own, and so opens no membership whose password is its person's. */
  isOwn: boolean
  isDisabled: boolean
  /** Whether the member was removed for good; removed members are disabled as well. */
  isRemoved: boolean
  /** Whether the invitation is not accepted yet. */
  isInvited: boolean
  /** Whether single sign-on is mandatory at the customer: no password opens the membership. */
  isSignOnOnly: boolean
  /**
   * Digests of the credentials by which the customer's identity providers open the membership, one per provider that
   * knows the person.
   */
  issuerDigests: readonly string[]
  /** Whether the browser in question is known to the account. */
  isRecognized: boolean
  /** Factors that count at this membership. */
  factors: readonly Factor[]
  /** Whether the customer demands a second factor. */
  demandsFactor: boolean
  /** When an Admin reset the person's factors at this customer. */
  factorsResetAt: Date | null
  /**
   * Whether the membership may have been accepted by someone else than its person: neither the person's password nor
   * their factors count there.
   */
  isIsolated: boolean
  /** Whether the customer is closed: its members can only read, and invitations can't be accepted. */
  isClosed: boolean
}

/** Owner of an email address, with all memberships. */
export type Person = {
  /** Null: the row is older than the table of people, and the backfill has not reached it. */
  personId: string | null
  /** Argon2id hash of the password that opens the memberships without a password of their own. */
  passwordHash: string | null
  /** All second factors, in any scope. */
  factors: readonly Factor[]
  memberships: readonly Membership[]
}

/**
 * Returns the memberships that a password opens. An Admin may make a link, redeem it, and so set a membership's
 * password: such a password opens that membership only. A person's password was set by a reader of mail at the address,
 * and opens all memberships without a password of their own.
 * @param hash hash of the verified password
 */
export function openedBy(hash: string, { memberships }: Pick<Person, 'memberships'>): Membership[] {
  return memberships.filter(
    ({ passwordHash, isDisabled, isInvited, isSignOnOnly }) =>
      passwordHash === hash && !isDisabled && !isInvited && !isSignOnOnly,
  )
}

/** Returns all passwords that open a membership of the person, each once. */
export function passwordsOf({ memberships }: Pick<Person, 'memberships'>): string[] {
  const open = memberships.filter(({ isDisabled, isSignOnOnly }) => !isDisabled && !isSignOnOnly)
  return [...new Set(open.flatMap(({ passwordHash }) => passwordHash ?? []))]
}

/**
 * Returns the password with which a person can accept another membership: the person's own, where it opens an accepted
 * membership. A membership's own password does not count: an Admin of its customer may have set it, and could enter the
 * new customer with it.
 */
export function presentOf({ passwordHash, memberships }: Pick<Person, 'passwordHash' | 'memberships'>) {
  return passwordHash !== null && openedBy(passwordHash, { memberships }).length > 0
    ? passwordHash
    : undefined
}

/**
 * Returns the membership that an issuer's credential opens: that of the issuer's customer, whatever other memberships
 * the person has.
 */
export function openedByIssuer(
  credentialDigest: string,
  { memberships }: Pick<Person, 'memberships'>,
): Membership[] {
  return memberships.filter(
    ({ issuerDigests, isDisabled, isInvited }) =>
      issuerDigests.includes(credentialDigest) && !isDisabled && !isInvited,
  )
}

/** Returns the memberships that a passkey opens without a password. */
export function openedByPasskey(passkey: Factor, { memberships }: Pick<Person, 'memberships'>): Membership[] {
  const open = memberships.filter(
    ({ isDisabled, isInvited, isSignOnOnly }) => !isDisabled && !isInvited && !isSignOnOnly,
  )
  return open.filter((one) => one.factors.includes(passkey) && opensAlone(passkey, one))
}

/** Next step of a sign-in. `factor` and `set-up` name the membership where it is already known. */
export type Step<M> =
  | { kind: 'refuse' }
  | { kind: 'pick' }
  | { kind: 'factor'; membership?: M; mayGoWithout: boolean }
  | { kind: 'set-up'; membership: M }
  | { kind: 'open'; membership: M }

/**
 * Returns the next step of a sign-in after a verified credential. A second factor is required before the choice of a
 * customer, so that a password by itself does not reveal the person's customers.
 * @param memberships memberships that the credential opens
 * @param proven all verified methods
 * @param picked id of the chosen customer, once one is chosen
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

/** Returns the memberships that the choice may list: before a factor is verified, only those that need none. */
export function pickable<M extends Guarded>(
  memberships: readonly M[],
  verifiedMethods: readonly string[],
): M[] {
  return memberships.filter((one) => hasFactor(verifiedMethods) || needOf(one, verifiedMethods) !== 'factor')
}

function hasFactor(verifiedMethods: readonly string[]): boolean {
  return verifiedMethods.some((one) => one.startsWith('factor '))
}
