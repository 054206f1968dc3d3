import 'server-only'
import { and, eq, ne, sql } from 'drizzle-orm'
import type { Transaction } from '#lib/db/client.ts'
import { members, sessions } from '#lib/db/schema/customers.ts'
import type { CustomerId } from './rules.ts'
import { isLive } from './store.ts'

/** Keeps a new session, and lets the member's ended ones go: nothing else removes those that were never signed out. */
export async function addSession(tx: Transaction, customerId: CustomerId, memberId: string, digest: string) {
  const own = and(eq(sessions.customerId, customerId), eq(sessions.memberId, memberId))
  await tx.delete(sessions).where(and(own, sql`NOT ${sql.raw(isLive('sessions'))}`))
  await tx.insert(sessions).values({ customerId, memberId, digest })
}

/** Ends a session; one that is gone already is fine. */
export async function endSession(tx: Transaction, customerId: CustomerId, digest: string) {
  await tx.delete(sessions).where(and(eq(sessions.customerId, customerId), eq(sessions.digest, digest)))
}

/** The present password hash of a member. */
export async function readPasswordHash(tx: Transaction, customerId: CustomerId, memberId: string) {
  const own = and(eq(members.customerId, customerId), eq(members.id, memberId))
  const rows = await tx.select({ hash: members.passwordHash }).from(members).where(own).for('no key update')
  return rows[0]?.hash ?? undefined
}

/** Sets a password and ends the member's sessions, but for the one named `keep`. */
export async function setPasswordHash(
  tx: Transaction,
  customerId: CustomerId,
  memberId: string,
  hash: string,
  keep = '',
) {
  await tx
    .update(members)
    .set({ passwordHash: hash })
    .where(and(eq(members.customerId, customerId), eq(members.id, memberId)))
  const others = and(eq(sessions.memberId, memberId), ne(sessions.digest, keep))
  await tx.delete(sessions).where(and(eq(sessions.customerId, customerId), others))
}
