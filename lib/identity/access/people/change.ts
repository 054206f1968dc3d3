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

/** MembershipTask of a change of a person, in the scope of one of their customers. */
export type MembershipTask = { customerId: CustomerId; run(tx: Transaction): Promise<void> }

/** Person with their id, locked until the transaction ends. */
export type Locked = Person & { personId: string }

/**
 * Changes a person and their memberships in one transaction: each part runs in its customer's scope, so that no
 * customer sees the others. Concurrent sign-ins of the person wait.
 * @param find finds the person: called before the lock and again after it, for the decision
 * @param decide returns the parts. It is called in the scope of one of the customers.
 * @returns false where the person is not found
 * @throws Problem `service_unavailable` where the person has become a member of another customer concurrently
 */
export async function changePerson(
  find: () => Promise<Person | undefined>,
  decide: (tx: Transaction, person: Locked) => Promise<MembershipTask[]>,
): Promise<boolean> {
  const [first] = sortByCustomer((await find())?.memberships ?? [])
  if (!first) return false
  // A person's password belongs to no customer, so it can be changed even if one of their customers is closed.
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

/**
 * Rejects an action that closed customers don't allow; the customer may have been closed since the lookup. @throws
 * CC001 as `scope` does
 */
export async function checkStillOpen(tx: Transaction, customerId: CustomerId): Promise<void> {
  await tx.execute(sql`SELECT enter_to_write(${customerId})`)
}

/**
 * Locks the person behind a member until the transaction ends; always before the member.
 * @param why `to change` waits for all other locks, `to enter` only for changes
 * @returns the person's id
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
  // The row is older than the table of people: the trigger adds its person.
  await tx.execute(sql`
    UPDATE members SET person_id = NULL
    WHERE customer_id = ${customerId} AND id = ${memberId} AND person_id IS NULL`)
  return (await lock()).rows[0]?.id
}

function sortByCustomer<T extends { customerId: string }>(all: readonly T[]): T[] {
  return all.toSorted((a, b) => (a.customerId < b.customerId ? -1 : Number(a.customerId > b.customerId)))
}

/**
 * Returns the status of a person. `gone`: every customer has removed them, apart from isolated memberships. The address
 * may belong to another human being now, so the old credentials must not open memberships that are accepted from now
 * on. `away`: likewise, but some customer has only disabled the member. It may enable them again, so their password and
 * factors are kept, and a reader of their mail accepts new memberships in isolation.
 */
export function personStatusOf({ memberships }: Pick<Person, 'memberships'>): 'here' | 'away' | 'gone' {
  const established = memberships.filter(
    ({ isRemoved, isInvited, isIsolated }) => !isRemoved && !isInvited && !isIsolated,
  )
  if (established.length === 0) return 'gone'
  return established.every(({ isDisabled }) => isDisabled) ? 'away' : 'here'
}

/** Resets a person: removes the password, and the factors that counted at all memberships. */
export async function resetPerson(tx: Transaction, personId: string): Promise<void> {
  await setPersonHash(tx, personId, null)
  await removeFactors(tx, personId, { reach: null })
  await setCodes(tx, personId, null, [])
}

/**
 * Locks the person of a newly added member, as `lockPerson` does. A person who is `gone` is reset, and a membership
 * that is accepted while its person is `away` is isolated.
 */
export async function lockNewcomer(
  tx: Transaction,
  customerId: CustomerId,
  { id, email }: { id: string; email: string },
): Promise<void> {
  const personId = await lockPerson(tx, customerId, id, 'to change')
  // A member that this transaction has added is not visible to this lookup yet.
  const person = await findAnybody(email)
  const personStatus = person ? personStatusOf(person) : 'gone'
  if (personId !== undefined && personStatus === 'gone') await resetPerson(tx, personId)
  if (personStatus === 'away') await isolateMembership(tx, customerId, id)
}
