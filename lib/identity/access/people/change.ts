import 'server-only'
import { sql } from 'drizzle-orm'
import { Problem } from '#lib/platform/api/problem.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { type Enter, scopeOfMany } from '#lib/platform/db/scope.ts'
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
  const [first] = inOrder((await find())?.memberships ?? [])
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
    for (const { customerId, run } of inOrder(parts)) await enter(customerId, run)
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
  const found = await lock()
  if (found.rows[0]) return found.rows[0].id
  // Written before there were people: the trigger finds this one.
  await tx.execute(sql`
    UPDATE members SET person_id = NULL
    WHERE customer_id = ${customerId} AND id = ${memberId} AND person_id IS NULL`)
  return (await lock()).rows[0]?.id
}

function inOrder<T extends { customerId: string }>(all: readonly T[]): T[] {
  return all.toSorted((a, b) => (a.customerId < b.customerId ? -1 : Number(a.customerId > b.customerId)))
}
