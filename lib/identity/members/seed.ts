import 'server-only'
import { fittingOf, hashPassword } from '#lib/identity/access/passwords/hash.ts'
import { findPerson } from '#lib/identity/access/people/find-person.ts'
import { passwordsOf } from '#lib/identity/access/people/rules.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { OPERATOR } from '#lib/platform/history/audit.ts'
import { addMember, type NewMember } from './store.ts'

// Members whose first password is printed, as those of the demo.

/** Adds members in a transaction. @returns their ids by name. @throws Error where an address is a member already */
type AddMembers = (tx: Transaction, customerId: CustomerId) => Promise<Map<string, string>>

/**
 * Prepares members who sign in with this password.
 * @returns the function that adds them: hashing takes long, and happens before the transaction begins
 */
export async function prepareMembers(
  members: readonly Omit<NewMember, 'passwordHash' | 'addedBy'>[],
  password: string,
): Promise<AddMembers> {
  const hashes = await Promise.all(members.map(() => hashPassword(password)))
  return async (tx, customerId) => {
    const ids = new Map<string, string>()
    for (const [index, member] of members.entries()) {
      const account = { passwordHash: hashes[index] ?? '', addedBy: OPERATOR.name }
      const id = await addMember(tx, customerId, { ...member, ...account })
      if (id === undefined) throw new Error(`${member.email} is there twice.`)
      ids.set(member.name, id)
    }
    return ids
  }
}

/**
 * Returns whether the person with this address signs in with this password. Each check takes a core.
 * @throws Problem `service_unavailable`, where too many hashes are being computed
 */
export async function hasPassword(email: string, password: string): Promise<boolean> {
  const person = await findPerson(email)
  return (await fittingOf(password, person ? passwordsOf(person) : [])) !== undefined
}
