import 'server-only'
import { randomUUID } from 'node:crypto'
import { and, eq, isNotNull, isNull, sql } from 'drizzle-orm'
import { removeFactors, setCodes } from '#lib/identity/access/factors/store.ts'
import { removeLinks, withdrawLinks } from '#lib/identity/access/links/store.ts'
import { forgetBrowsers } from '#lib/identity/access/sign-ins/known-browsers.ts'
import { releaseSubjects } from '#lib/identity/access/sign-on/subjects.ts'
import { dropLookUps, noteAddress } from '#lib/platform/caller/look-ups/keep.ts'
import type { CustomerId, Role } from '#lib/platform/caller/rules.ts'
import { endSessions } from '#lib/platform/caller/session.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { accountLinks } from '#lib/platform/db/schema/access/people.ts'
import { scimGroupMembers, scimUsers } from '#lib/platform/db/schema/access/scim.ts'
import { accountMails, sessions } from '#lib/platform/db/schema/access/sign-ins.ts'
import { apiKeys, members } from '#lib/platform/db/schema/customers.ts'
import { listColumns, savedViews } from '#lib/platform/db/schema/views.ts'
import { memberOf } from './read.ts'

/** What is left of nobody who was taken away, where their address comes again. */
const ANEW = { factorsApart: false, disabledAt: null, removedAt: null, lastSignInAt: null, lastSeenAt: null }

export type NewMember = {
  email: string
  name: string
  roles: readonly Role[]
  /** Null: all of the customer's. */
  billingProfiles?: readonly string[] | null | undefined
  /** Name of who adds them. */
  addedBy: string
  /** Of one who can sign in at once. Whoever has none is invited: nothing opens the membership but a link. */
  passwordHash?: string
}

/**
 * Adds a member.
 * @returns the id; undefined where the customer has a member with this address already
 */
export async function addMember(
  tx: Transaction,
  customerId: CustomerId,
  { roles, billingProfiles = null, ...given }: NewMember,
): Promise<string | undefined> {
  const held = { roles: [...roles], billingProfiles: billingProfiles && [...billingProfiles] }
  const invitedAt = given.passwordHash === undefined ? sql`now()` : null
  const added = { invitedAt, passwordHash: null, ...held, ...given }
  const rows = await tx
    .insert(members)
    .values({ customerId, id: randomUUID(), ...added })
    .onConflictDoNothing()
    .returning({ id: members.id })
  if (rows[0]) {
    await noteAddress(tx, customerId, { email: given.email, id: rows[0].id })
    return rows[0].id
  }
  // Whom a directory took away comes anew, with nothing of what they had.
  const [back] = await tx
    .update(members)
    .set({ ...added, ...ANEW, createdAt: sql`now()` })
    .where(
      and(
        eq(members.customerId, customerId),
        sql`lower(${members.email}) = lower(${given.email})`,
        isNotNull(members.removedAt),
      ),
    )
    .returning({ id: members.id })
  // Of whom was taken away by a release that left this.
  if (back) await forget(tx, customerId, back.id)
  return back?.id
}

/** Sets what is given, which every request reads anew. */
export async function setMember(
  tx: Transaction,
  customerId: CustomerId,
  memberId: string,
  given: Partial<Pick<typeof members.$inferInsert, 'name' | 'roles' | 'billingProfiles'>>,
): Promise<void> {
  await tx.update(members).set(given).where(memberOf(customerId, memberId))
}

/** Shuts a member out from the next request on, and ends their sessions and links; or lets them sign in again. */
export async function setDisabled(
  tx: Transaction,
  customerId: CustomerId,
  memberId: string,
  disabled: boolean,
): Promise<void> {
  const disabledAt = disabled ? sql`now()` : null
  await tx.update(members).set({ disabledAt }).where(memberOf(customerId, memberId))
  if (!disabled) return
  await endSessions(tx, customerId, eq(sessions.memberId, memberId))
  await withdrawLinks(tx, customerId, memberId)
}

/**
 * Takes away a member who is disabled, for good: they are in no list, the keys that they made end, and no identity provider
 * knows them, so that whoever gets the address next is not taken for them.
 * @returns how many keys
 */
export async function setRemoved(tx: Transaction, customerId: CustomerId, memberId: string): Promise<number> {
  await forget(tx, customerId, memberId)
  await tx.update(members).set({ removedAt: sql`now()` }).where(memberOf(customerId, memberId))
  const theirs = and(eq(apiKeys.customerId, customerId), eq(apiKeys.issuedBy, memberId))
  const used = and(theirs, eq(apiKeys.belongsToCustomer, false), isNull(apiKeys.revokedAt))
  // In the order of their ids, as whoever revokes several locks them.
  await tx.select({ id: apiKeys.id }).from(apiKeys).where(used).orderBy(apiKeys.id).for('no key update')
  const { rowCount } = await tx.update(apiKeys).set({ revokedAt: sql`now()` }).where(used)
  return rowCount ?? 0
}

/**
 * Removes somebody who never came, with what was sent to them. Whom a key names, since a directory took them away before and
 * they were added anew, is taken away as a directory does it.
 */
export async function removeInvited(
  tx: Transaction,
  customerId: CustomerId,
  memberId: string,
): Promise<void> {
  await removeLinks(tx, customerId, eq(accountLinks.memberId, memberId))
  const { customerId: customer, memberId: member } = accountMails
  await tx.delete(accountMails).where(and(eq(customer, customerId), eq(member, memberId)))
  await setDisabled(tx, customerId, memberId, true)
  await setRemoved(tx, customerId, memberId)
  const isNamed = sql`EXISTS (SELECT FROM api_keys k WHERE k.customer_id = ${customerId} AND k.issued_by = ${memberId})`
  const { rowCount } = await tx
    .delete(members)
    .where(and(memberOf(customerId, memberId), isNotNull(members.invitedAt), sql`NOT ${isNamed}`))
  if (rowCount) await dropLookUps(tx, customerId, 'address', [memberId])
}

/**
 * Nothing by which they came in before brings anybody in as this member: no subject of an issuer, no browser, no group of a
 * directory, and no factor that counted here alone. Views and columns of their own go with them.
 */
async function forget(tx: Transaction, customerId: CustomerId, memberId: string): Promise<void> {
  const [row] = await tx
    .select({ personId: members.personId })
    .from(members)
    .where(memberOf(customerId, memberId))
  if (row?.personId) {
    await removeFactors(tx, row.personId, { reach: customerId })
    await setCodes(tx, row.personId, customerId, [])
  }
  for (const table of [scimGroupMembers, scimUsers, savedViews, listColumns])
    await tx.delete(table).where(and(eq(table.customerId, customerId), eq(table.memberId, memberId)))
  await releaseSubjects(tx, customerId, { memberId })
  await forgetBrowsers(tx, customerId, memberId, '')
}
