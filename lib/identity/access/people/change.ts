import 'server-only'
import { sql } from 'drizzle-orm'
import { Problem } from '#lib/platform/api/problem.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { type Enter, scopeOfMany } from '#lib/platform/db/scope.ts'
import { removeFactors, setCodes } from '../factors/store.ts'
import { isolateMembership, setPersonHash } from '../passwords/set.ts'
import { findAnybody } from './find-person.ts'
import type { Person } from './rules.ts'

/** What a change of a person does in the scope of one of their customers. */
export type Part = { customerId: CustomerId; run(tx: Transaction): Promise<void> }

/** A person who is locked until the transaction ends, with their id. */
export type Locked = Person & { personId: string }

/**
 * Changes a person and their memberships in one transaction: each part in its customer's scope, so that no customer sees
 * the others. Whoever signs in waits for it.
 * @param find finds the person: before they are locked, and then what is decided by
 * @param decide says what is done where. It is called in the scope of one of the customers.
 * @returns false where nobody is found
 * @throws Problem `service_unavailable` where they became a member of another customer meanwhile
 */
export async function changePerson(
  find: () => Promise<Person | undefined>,
  decide: (tx: Transaction, person: Locked) => Promise<Part[]>,
): Promise<boolean> {
  const [first] = sortByCustomer((await find())?.memberships ?? [])
  if (!first) return false
  // A person's password is of no customer: that one of theirs is closed keeps nobody from changing it.
  const change = async (enter: Enter) => {
    const parts = await enter(first.customerId, async (tx) => {
      const personId = await lockPerson(tx, first.customerId, first.memberId, 'to change')
      const person = await find()
      if (!person || personId === undefined) return undefined
      return decide(tx, { ...person, personId })
    })
    if (!parts) return false
    if (parts.some(({ customerId }) => customerId < first.customerId))
      throw new Problem('service_unavailable', 'Something else was changed at the same moment. Try again.')
    for (const { customerId, run } of sortByCustomer(parts)) await enter(customerId, run)
    return true
  }
  return scopeOfMany(change, { evenIfClosed: true })
}

/** Refuses what is not done at a closed customer, which may have been closed since it was looked up. @throws CC001 as `scope` does */
export async function checkStillOpen(tx: Transaction, customerId: CustomerId): Promise<void> {
  await tx.execute(sql`SELECT enter_to_write(${customerId})`)
}

/**
 * Locks the person behind a member until the transaction ends: before the member, wherever both are locked.
 * @param why `to change` waits for all others, `to enter` for those who change
 * @returns their id
 */
export async function lockPerson(
  tx: Transaction,
  customerId: CustomerId,
  memberId: string,
  why: 'to change' | 'to enter',
): Promise<string | undefined> {
  const strength = sql.raw(why === 'to change' ? 'NO KEY UPDATE' : 'SHARE')
  const lock = () =>
    tx.execute<{ id: string }>(sql`
      SELECT p.id FROM people p JOIN members m ON m.person_id = p.id
      WHERE m.customer_id = ${customerId} AND m.id = ${memberId} FOR ${strength} OF p`)
  const result = await lock()
  if (result.rows[0]) return result.rows[0].id
  // Written before there were people: the trigger finds this one.
  await tx.execute(sql`
    UPDATE members SET person_id = NULL
    WHERE customer_id = ${customerId} AND id = ${memberId} AND person_id IS NULL`)
  return (await lock()).rows[0]?.id
}

function sortByCustomer<T extends { customerId: string }>(all: readonly T[]): T[] {
  return all.toSorted((a, b) => (a.customerId < b.customerId ? -1 : Number(a.customerId > b.customerId)))
}

/**
 * What has become of somebody. `gone`: each customer has taken them away for good, but where a membership was taken up apart. Who has
 * their address now may be another human being, and what the former one knows and holds must not open what is taken up from
 * now on. `away`: the same, but some customer has only disabled them. It may enable them again, and their password and factors
 * are kept for that: whoever reads their mail meanwhile takes up what they are given apart from these.
 */
export function personStatusOf({ memberships }: Pick<Person, 'memberships'>): 'here' | 'away' | 'gone' {
  const established = memberships.filter(
    ({ isRemoved, isInvited, isIsolated }) => !isRemoved && !isInvited && !isIsolated,
  )
  if (established.length === 0) return 'gone'
  return established.every(({ isDisabled }) => isDisabled) ? 'away' : 'here'
}

/** A person begins anew: without a password, and without the factors that counted wherever they were a member. */
export async function resetPerson(tx: Transaction, personId: string): Promise<void> {
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
  const personStatus = person ? personStatusOf(person) : 'gone'
  if (personId !== undefined && personStatus === 'gone') await resetPerson(tx, personId)
  if (personStatus === 'away') await isolateMembership(tx, customerId, id)
}
