import type { CustomerId } from '../rules.ts'

/** One customer's member, as sign-in sees it. */
export type Membership = {
  customerId: CustomerId
  customerName: string
  customerDomain: string
  memberId: string
  name: string
  email: string
  /** Argon2id of the password that opens it: its own, else its person's. Null: none does. */
  passwordHash: string | null
  /** Whether that password is its own, and so opens no membership whose password is its person's. */
  isOwn: boolean
  isDisabled: boolean
  /** Whether its person has not taken it up yet. */
  isInvited: boolean
  /** Whether its customer lets nobody in but by its own identity providers: no password opens it. */
  isSignOnOnly: boolean
  /** What its customer's identity providers prove with when they open it, of each that knows its person. */
  issuerProofs: readonly string[]
  /** Whether its account knows the browser that was asked about. */
  isKnown: boolean
}

/** Whoever has an address, with all that they are a member of. */
export type Person = {
  /** Null: written before there were people, until a backfill comes by. */
  personId: string | null
  /** Argon2id of the password that opens what has none of its own. */
  passwordHash: string | null
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

/** Whom an issuer's proof opens: the membership of its own customer that it is bound to, wherever else its person is a member. */
export function openedByIssuer(proof: string, { memberships }: Pick<Person, 'memberships'>): Membership[] {
  return memberships.filter(
    ({ issuerProofs, isDisabled, isInvited }) => issuerProofs.includes(proof) && !isDisabled && !isInvited,
  )
}

/** What comes after a proof. */
export type Step<M> = { kind: 'refuse' } | { kind: 'pick' } | { kind: 'open'; membership: M }

/**
 * What comes next on the way from a proof to a session of one membership. A second factor is asked for here, ahead of the
 * pick, where the person has one or a customer of theirs demands one.
 * @param memberships that the proof opens
 * @param picked the customer that was picked of them, once one was
 */
export function nextStep<M extends Pick<Membership, 'customerId'>>({
  memberships,
  picked,
}: {
  memberships: readonly M[]
  picked?: string | undefined
}): Step<M> {
  if (memberships.length === 0) return { kind: 'refuse' }
  const only = memberships.length === 1 ? memberships[0] : undefined
  const membership = picked === undefined ? only : memberships.find((one) => one.customerId === picked)
  return membership ? { kind: 'open', membership } : { kind: 'pick' }
}
