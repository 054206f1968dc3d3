import 'server-only'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { removeFactors, setCodes } from '../factors/store.ts'
import { keepApart, setPersonHash } from '../passwords/set.ts'
import { lockPerson } from './change.ts'
import { findAnybody } from './look-up.ts'
import type { Person } from './rules.ts'

/**
 * What has become of somebody. `gone`: each customer has taken them away for good, but where a membership was taken up apart. Who has
 * their address now may be another human being, and what the former one knows and holds must not open what is taken up from
 * now on. `away`: the same, but some customer has only disabled them. It may enable them again, and their password and factors
 * are kept for that: whoever reads their mail meanwhile takes up what they are given apart from these.
 */
export function standingOf({ memberships }: Pick<Person, 'memberships'>): 'here' | 'away' | 'gone' {
  const own = memberships.filter(({ isRemoved, isInvited, isApart }) => !isRemoved && !isInvited && !isApart)
  if (own.length === 0) return 'gone'
  return own.every(({ isDisabled }) => isDisabled) ? 'away' : 'here'
}

/** A person begins anew: without a password, and without the factors that counted wherever they were a member. */
export async function beginAnew(tx: Transaction, personId: string): Promise<void> {
  await setPersonHash(tx, personId, null)
  await removeFactors(tx, personId, { reach: null })
  await setCodes(tx, personId, null, [])
}

/**
 * Locks the person of a member who comes for the first time, as `lockPerson` does. Whoever is gone begins anew, and what is taken up
 * while its person is away is kept apart.
 */
export async function lockNewcomer(
  tx: Transaction,
  customerId: CustomerId,
  { id, email }: { id: string; email: string },
): Promise<void> {
  const personId = await lockPerson(tx, customerId, id, 'to change')
  // Whom this transaction has added is not among them yet.
  const person = await findAnybody(email)
  const standing = person ? standingOf(person) : 'gone'
  if (personId !== undefined && standing === 'gone') await beginAnew(tx, personId)
  if (standing === 'away') await keepApart(tx, customerId, id)
}
