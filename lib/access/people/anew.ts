import 'server-only'
import type { Transaction } from '#lib/db/client.ts'
import { removeFactors, setCodes } from '../factors/store.ts'
import { setPersonHash } from '../passwords/set.ts'
import type { CustomerId } from '../rules.ts'
import { lockPerson } from './change.ts'
import { findAnybody } from './look-up.ts'
import type { Person } from './rules.ts'

/**
 * Whether somebody is a member nowhere any more, but where whoever was shown a link has taken their membership up: who has their
 * address now may be another human being, and what the former one knows and holds must not open what is taken up from now on.
 */
export function isLeft({ memberships }: Pick<Person, 'memberships'>): boolean {
  return memberships.every(({ isDisabled, isInvited, isApart }) => isDisabled || isInvited || isApart)
}

/** A person begins anew: without a password, and without the factors that counted wherever they were a member. */
export async function beginAnew(tx: Transaction, personId: string): Promise<void> {
  await setPersonHash(tx, personId, null)
  await removeFactors(tx, personId, { reach: null })
  await setCodes(tx, personId, null, [])
}

/** Locks the person of a member who comes for the first time, as `lockPerson` does; whoever is left begins anew. */
export async function lockNewcomer(
  tx: Transaction,
  customerId: CustomerId,
  { id, email }: { id: string; email: string },
): Promise<void> {
  const personId = await lockPerson(tx, customerId, id, 'to change')
  // Whom this transaction has added is not among them yet.
  const person = await findAnybody(email)
  if (personId !== undefined && (!person || isLeft(person))) await beginAnew(tx, personId)
}
