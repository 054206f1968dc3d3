import 'server-only'
import { randomUUID } from 'node:crypto'
import { and, eq, or, sql } from 'drizzle-orm'
import { noteAddress } from '#lib/platform/caller/look-ups/keep.ts'
import type { CustomerId, Role } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { members } from '#lib/platform/db/schema/customers.ts'
import { isLastBySignOn } from '../sign-on/way-in/admins.ts'

// What an identity provider gives: a membership, roles, billing profiles.

/** Adds a member who has come already: their issuer has proven who they are. @returns the id */
export async function addJoined(
  tx: Transaction,
  customerId: CustomerId,
  given: { email: string; name: string; roles: Role[]; billingProfiles: string[] | null; addedBy: string },
): Promise<string> {
  const id = randomUUID()
  await tx.insert(members).values({ customerId, id, ...given })
  await noteAddress(tx, customerId, { email: given.email, id })
  return id
}

/**
 * Whether nobody else is an Admin who may sign in; where passwords are off, whether nobody else is who is sure to get in without.
 * Those who are stay as they are until the transaction ends.
 */
export async function isLastAdmin(
  tx: Transaction,
  customerId: CustomerId,
  memberId: string,
): Promise<boolean> {
  const isAdmin = sql`${members.roles} @> '{admin}' AND ${members.disabledAt} IS NULL AND ${members.invitedAt} IS NULL`
  // In the order of their ids, as whoever changes members locks them.
  const locked = await tx
    .select({ id: members.id })
    .from(members)
    .where(and(eq(members.customerId, customerId), or(eq(members.id, memberId), isAdmin)))
    .orderBy(members.id)
    .for('no key update')
  return locked.every(({ id }) => id === memberId) || isLastBySignOn(tx, customerId, memberId)
}

/** Sets what claims give a member. */
export async function setGiven(
  tx: Transaction,
  customerId: CustomerId,
  memberId: string,
  given: { roles?: Role[]; billingProfiles?: string[] },
): Promise<void> {
  const own = and(eq(members.customerId, customerId), eq(members.id, memberId))
  await tx.update(members).set(given).where(own)
}
