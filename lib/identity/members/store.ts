import 'server-only'
import { randomUUID } from 'node:crypto'
import { and, asc, eq, isNotNull, isNull, or, type SQL, sql } from 'drizzle-orm'
import { removeFactors, setCodes } from '#lib/identity/access/factors/store.ts'
import { removeLinks, withdrawLinks } from '#lib/identity/access/links/store.ts'
import { forgetBrowsers } from '#lib/identity/access/sign-ins/browsers.ts'
import { releaseSubjects } from '#lib/identity/access/sign-on/subjects.ts'
import { noteAddress, removeFromCredentialIndex } from '#lib/platform/caller/credentials.ts'
import type { CustomerId, Role } from '#lib/platform/caller/rules.ts'
import { endSessions } from '#lib/platform/caller/session.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { accountLinks } from '#lib/platform/db/schema/access/people.ts'
import { scimGroupMembers, scimUsers } from '#lib/platform/db/schema/access/scim.ts'
import { accountMails, sessions } from '#lib/platform/db/schema/access/sign-ins.ts'
import { apiKeys, members } from '#lib/platform/db/schema/customers.ts'
import { listColumns, savedViews } from '#lib/platform/db/schema/views.ts'
import type { Filter } from '#lib/platform/lists/filter.ts'
import { byCreation, type Cursor, pageByKey } from '#lib/platform/lists/paging.ts'
import { hasPart } from '#lib/platform/lists/search.ts'
import { recordMemberChange } from '#lib/platform/outbox/events.ts'
import type { MemberState } from './rules.ts'

export type MemberSelection = {
  filter?: Filter<'state' | 'role'> | undefined
  search?: string | undefined
}
export type MemberRow = Awaited<ReturnType<typeof listMembers>>[number]

const { columns, micros } = byCreation(members.createdAt, members.id)
// Subquery for a column of the open invitation; a new one withdraws the former. Uses full names, because in a statement
// on a single table drizzle writes its columns without the table.
const ofInvitation = (column: string) =>
  sql`(SELECT ${sql.raw(`l.${column}`)} FROM account_links l
    WHERE l.customer_id = members.customer_id AND l.member_id = members.id AND l.kind = 'invitation'
      AND l.used_at IS NULL AND l.withdrawn_at IS NULL ORDER BY l.expires_at DESC LIMIT 1)`
export const listedColumns = {
  id: members.id,
  email: members.email,
  name: members.name,
  roles: sql<Role[]>`${members.roles}`,
  billingProfiles: members.billingProfiles,
  disabledAt: members.disabledAt,
  invitedAt: members.invitedAt,
  inviteExpiresAt: ofInvitation('expires_at').mapWith(members.createdAt) as SQL<Date | null>,
  /** State of the invitation's mail; null: not mailed. */
  inviteMail: ofInvitation('state') as SQL<string | null>,
  createdAt: members.createdAt,
  addedBy: members.addedBy,
  lastSignInAt: members.lastSignInAt,
  // Counts factors as lib/identity/access/factors/rules.ts does.
  secondFactors: sql<('totp' | 'passkey')[]>`ARRAY(SELECT DISTINCT f.kind FROM second_factors f
    WHERE f.person_id = members.person_id AND (f.reach = members.customer_id OR f.reach IS NULL
      AND NOT members.factors_apart AND (members.factors_reset_at IS NULL OR f.created_at > members.factors_reset_at)) ORDER BY 1 DESC)`,
  micros,
}

/** Returns the sort key of a member, for page tokens. */
export function keyOfMember({ micros, id }: Pick<MemberRow, 'micros' | 'id'>): string[] {
  return [micros, id]
}

/** Lists members in reading direction from the cursor: newest first, or oldest first for a cursor that leads back. */
export async function listMembers(
  tx: Transaction,
  customerId: CustomerId,
  { filter = {}, search }: MemberSelection,
  { limit, cursor }: { limit: number; cursor?: Cursor | undefined },
) {
  const { beyond, order } = pageByKey(columns, cursor)
  const selected = [
    filter.state && or(...filter.state.map((state) => STATES[state as MemberState])),
    filter.role && sql`${members.roles} && ${sql.param(filter.role)}::text[]`,
    search ? or(hasPart(members.name, search), hasPart(members.email, search)) : undefined,
  ]
  return tx
    .select(listedColumns)
    .from(members)
    .where(and(there(customerId), ...selected, beyond))
    .orderBy(order)
    .limit(limit)
}

const STATES: Record<MemberState, SQL | undefined> = {
  invited: and(isNull(members.disabledAt), isNotNull(members.invitedAt)),
  active: and(isNull(members.disabledAt), isNull(members.invitedAt)),
  disabled: isNotNull(members.disabledAt),
}

export async function readMember(
  tx: Transaction,
  customerId: CustomerId,
  memberId: string,
): Promise<MemberRow | undefined> {
  const rows = await tx
    .select(listedColumns)
    .from(members)
    .where(and(there(customerId), eq(members.id, memberId)))
  return rows[0]
}

/** Returns the id of the customer's member with this address, ignoring case. */
export async function memberWith(
  tx: Transaction,
  customerId: CustomerId,
  email: string,
): Promise<string | undefined> {
  const addressFilter = and(there(customerId), sql`lower(${members.email}) = lower(${email})`)
  const rows = await tx.select({ id: members.id }).from(members).where(addressFilter)
  return rows[0]?.id
}

/** Numbers of the other Admins who can sign in, and of those among them who see all billing profiles. */
type OtherAdmins = { otherAdmins: number; otherFullAdmins: number }

/**
 * Locks a member and all other Admins who can sign in until the transaction ends, by ascending id, and returns the
 * member and the numbers of those Admins. Of two Admins who disable each other, the second waits and finds that no other
 * Admin is left.
 */
export async function lockMember(
  tx: Transaction,
  customerId: CustomerId,
  memberId: string,
): Promise<({ member: MemberRow } & OtherAdmins) | undefined> {
  const rows = await lockMembers(tx, customerId, [memberId])
  const member = rows.find(({ id }) => id === memberId)
  const others = rows.filter(({ id }) => id !== memberId)
  const otherFullAdmins = others.filter(({ billingProfiles }) => billingProfiles === null).length
  return member && { member, otherAdmins: others.length, otherFullAdmins }
}

/** Locks several members in one statement, and all Admins who can sign in, like `lockMember`. */
export async function lockMembers(tx: Transaction, customerId: CustomerId, memberIds: readonly string[]) {
  const admins = and(sql`${members.roles} @> '{admin}'`, STATES.active)
  const named = sql`${members.id} = ANY(${sql.param([...memberIds])}::text[])`
  return tx
    .select(listedColumns)
    .from(members)
    .where(and(there(customerId), or(named, admins)))
    .orderBy(asc(members.id))
    .for('no key update')
}

/** SQL condition for the customer's members, without those that a directory removed. */
export function there(customerId: CustomerId) {
  return and(eq(members.customerId, customerId), isNull(members.removedAt))
}

/** SQL condition for the row of this member. */
function memberOf(customerId: CustomerId, memberId: string) {
  return and(eq(members.customerId, customerId), eq(members.id, memberId))
}

/** Values that are reset when the address of a removed member is added again. */
const RESET_VALUES = {
  factorsApart: false,
  disabledAt: null,
  removedAt: null,
  lastSignInAt: null,
  lastSeenAt: null,
}

export type NewMember = {
  email: string
  name: string
  roles: readonly Role[]
  /** Null: all of the customer's. */
  billingProfiles?: readonly string[] | null | undefined
  /** Name of the actor who adds the member. */
  addedBy: string
  /**
   * Hash for a member who can sign in immediately. A member without one is invited: only a link opens the membership.
   */
  passwordHash?: string
}

/**
 * Adds a member.
 * @returns the id; undefined where the customer has a member with this address already
 */
export async function addMember(
  tx: Transaction,
  customerId: CustomerId,
  { roles, billingProfiles = null, ...values }: NewMember,
): Promise<string | undefined> {
  const access = { roles: [...roles], billingProfiles: billingProfiles && [...billingProfiles] }
  const invitedAt = values.passwordHash === undefined ? sql`now()` : null
  const added = { invitedAt, passwordHash: null, ...access, ...values }
  const rows = await tx
    .insert(members)
    .values({ customerId, id: randomUUID(), ...added })
    .onConflictDoNothing()
    .returning({ id: members.id })
  if (rows[0]) {
    recordMemberChange(tx, customerId, rows[0].id)
    await noteAddress(tx, customerId, { email: values.email, id: rows[0].id })
    return rows[0].id
  }
  // The address of a removed member is added again, with none of its former access.
  const [back] = await tx
    .update(members)
    .set({ ...added, ...RESET_VALUES, createdAt: sql`now()` })
    .where(
      and(
        eq(members.customerId, customerId),
        sql`lower(${members.email}) = lower(${values.email})`,
        isNotNull(members.removedAt),
      ),
    )
    .returning({ id: members.id })
  // Deletes rows that an older release left behind when it removed the member.
  if (back) {
    recordMemberChange(tx, customerId, back.id)
    await forget(tx, customerId, back.id)
  }
  return back?.id
}

/** Changes the given fields. Every request reads them again. */
export async function setMember(
  tx: Transaction,
  customerId: CustomerId,
  memberId: string,
  values: Partial<Pick<typeof members.$inferInsert, 'name' | 'roles' | 'billingProfiles'>>,
): Promise<void> {
  await tx.update(members).set(values).where(memberOf(customerId, memberId))
  recordMemberChange(tx, customerId, memberId)
}

/** Disables a member from the next request on, and ends their sessions and links; or enables the member. */
export async function setDisabled(
  tx: Transaction,
  customerId: CustomerId,
  memberId: string,
  disabled: boolean,
): Promise<void> {
  const disabledAt = disabled ? sql`now()` : null
  await tx.update(members).set({ disabledAt }).where(memberOf(customerId, memberId))
  recordMemberChange(tx, customerId, memberId)
  if (!disabled) return
  await endSessions(tx, customerId, eq(sessions.memberId, memberId))
  await withdrawLinks(tx, customerId, memberId)
}

/**
 * Removes a disabled member for good: the member is unlisted, the keys that they issued end, and identity providers are
 * unbound, so that the next owner of the address is not taken for them.
 * @returns how many keys
 */
export async function setRemoved(tx: Transaction, customerId: CustomerId, memberId: string): Promise<number> {
  await forget(tx, customerId, memberId)
  await tx.update(members).set({ removedAt: sql`now()` }).where(memberOf(customerId, memberId))
  recordMemberChange(tx, customerId, memberId)
  const theirs = and(eq(apiKeys.customerId, customerId), eq(apiKeys.issuedBy, memberId))
  const used = and(theirs, eq(apiKeys.belongsToCustomer, false), isNull(apiKeys.revokedAt))
  // Locks by ascending id, in the common lock order.
  await tx.select({ id: apiKeys.id }).from(apiKeys).where(used).orderBy(apiKeys.id).for('no key update')
  const { rowCount } = await tx.update(apiKeys).set({ revokedAt: sql`now()` }).where(used)
  return rowCount ?? 0
}

/**
 * Deletes a member who never accepted, with their links and mails. A member that a key or a webhook refers to, because a directory
 * had removed them before they were added again, is removed like by a directory.
 */
export async function removeInvited(
  tx: Transaction,
  customerId: CustomerId,
  memberId: string,
): Promise<void> {
  await removeLinks(tx, customerId, eq(accountLinks.memberId, memberId))
  const { customerId: customer, memberId: member } = accountMails
  await tx.delete(accountMails).where(and(eq(customer, customerId), eq(member, memberId)))
  await tx.execute(
    sql`DELETE FROM outbox WHERE customer_id = ${customerId} AND kind = 'account' AND recipient = ${memberId}`,
  )
  await setDisabled(tx, customerId, memberId, true)
  await setRemoved(tx, customerId, memberId)
  const isNamed = sql`(EXISTS (SELECT FROM api_keys k WHERE k.customer_id = ${customerId} AND k.issued_by = ${memberId})
    OR EXISTS (SELECT FROM webhook_endpoints w WHERE w.customer_id = ${customerId} AND w.owner_id = ${memberId}))`
  const { rowCount } = await tx
    .delete(members)
    .where(and(memberOf(customerId, memberId), isNotNull(members.invitedAt), sql`NOT ${isNamed}`))
  if (rowCount) await removeFromCredentialIndex(tx, customerId, 'address', [memberId])
}

/**
 * Deletes everything by which another person could enter as this member: subjects of identity providers, known
 * browsers, groups of a directory, and factors that counted at this customer only. Also deletes the member's views and
 * columns.
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
