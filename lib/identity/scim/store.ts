import 'server-only'
import { randomUUID } from 'node:crypto'
import { and, asc, eq, inArray, type SQL, sql } from 'drizzle-orm'
import { there } from '#lib/identity/members/store.ts'
import type { CustomerId, Role } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { scimGroupMembers, scimGroups, scimUsers } from '#lib/platform/db/schema/access/scim.ts'
import { members } from '#lib/platform/db/schema/customers.ts'
import type { Comparison } from './filter.ts'
import type { Mapping } from './rules.ts'

export type UserFilter = Comparison<'userName' | 'externalId' | 'id'>
type Page = { startIndex: number; count: number }
export type UserRow = Awaited<ReturnType<typeof rows>>[number]

/** Returns one page of the customer's members, in the order of their creation, and the total. */
export async function listUsers(
  tx: Transaction,
  customerId: CustomerId,
  filter: UserFilter | undefined,
  { startIndex, count }: Page,
) {
  const which = filter && USERS_BY[filter.by](filter.value)
  const [{ total } = { total: 0 }] = await tx
    .select({ total: sql<number>`count(*)::int` })
    .from(members)
    .leftJoin(scimUsers, memberJoin(customerId))
    .where(and(there(customerId), which))
  const users = count === 0 ? [] : await rows(tx, customerId, which, { startIndex, count })
  return { total, found: users }
}

export async function readUser(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
): Promise<UserRow | undefined> {
  const users = await rows(tx, customerId, eq(members.id, id), { startIndex: 1, count: 1 })
  return users[0]
}

/** Stores a directory's attributes of a member, separately from the member. */
export async function setUser(
  tx: Transaction,
  customerId: CustomerId,
  memberId: string,
  values: { externalId: string | null; givenName: string | null; familyName: string | null },
): Promise<void> {
  await tx
    .insert(scimUsers)
    .values({ customerId, memberId, ...values })
    .onConflictDoUpdate({
      target: [scimUsers.customerId, scimUsers.memberId],
      set: values,
      setWhere: eq(scimUsers.customerId, customerId),
    })
}

const USERS_BY: Record<UserFilter['by'], (value: string) => SQL> = {
  userName: (value) => sql`lower(${members.email}) = lower(${value})`,
  externalId: (value) => eq(scimUsers.externalId, value),
  id: (value) => eq(members.id, value),
}

/** Joins a directory's attributes to their member. */
function memberJoin(customerId: CustomerId) {
  return and(eq(scimUsers.customerId, customerId), eq(scimUsers.memberId, members.id))
}

// Groups are read by a separate statement: members and groups may be stored on different machines, and each returns few
// rows.
async function rows(
  tx: Transaction,
  customerId: CustomerId,
  which: SQL | undefined,
  { startIndex, count }: Page,
) {
  const selected = await tx
    .select({
      id: members.id,
      email: members.email,
      name: members.name,
      disabledAt: members.disabledAt,
      createdAt: members.createdAt,
      externalId: scimUsers.externalId,
      givenName: scimUsers.givenName,
      familyName: scimUsers.familyName,
    })
    .from(members)
    .leftJoin(scimUsers, memberJoin(customerId))
    .where(and(there(customerId), which))
    .orderBy(asc(members.createdAt), asc(members.id))
    .limit(count)
    .offset(startIndex - 1)
  const groups = await groupReferencesOf(
    tx,
    customerId,
    selected.map(({ id }) => id),
  )
  return selected.map((user) => ({ ...user, groups: groups.get(user.id) ?? [] }))
}

/** Returns the groups of these members, per member in the order of their ids. */
async function groupReferencesOf(tx: Transaction, customerId: CustomerId, ids: readonly string[]) {
  if (ids.length === 0) return new Map<string, { value: string; display: string }[]>()
  const { rows: theirs } = await tx.execute<{ member: string; value: string; display: string }>(sql`
    SELECT gm.member_id AS member, g.id AS value, g.display_name AS display
    FROM scim_group_members gm JOIN scim_groups g ON g.customer_id = ${customerId} AND g.id = gm.group_id
    WHERE gm.customer_id = ${customerId} AND gm.member_id = ANY (${sql.param([...ids])}::text[]) ORDER BY g.id`)
  const grouped = Map.groupBy(theirs, ({ member }) => member)
  return new Map(
    [...grouped].map(([id, its]) => [id, its.map(({ value, display }) => ({ value, display }))] as const),
  )
}

export type GroupFilter = Comparison<'displayName' | 'externalId' | 'id'>
export type GroupRow = Awaited<ReturnType<typeof listGroups>>[number]

const groupColumns = {
  id: scimGroups.id,
  displayName: scimGroups.displayName,
  externalId: scimGroups.externalId,
  roles: sql<Role[] | null>`${scimGroups.roles}`,
  billingProfiles: scimGroups.billingProfiles,
  createdAt: scimGroups.createdAt,
}

/** Lists the customer's groups, in the order of their creation. */
export function listGroups(
  tx: Transaction,
  customerId: CustomerId,
  filter?: GroupFilter,
  { startIndex, count }: Page = { startIndex: 1, count: 1000 },
) {
  return tx
    .select(groupColumns)
    .from(scimGroups)
    .where(and(eq(scimGroups.customerId, customerId), filter && GROUPS_BY[filter.by](filter.value)))
    .orderBy(asc(scimGroups.createdAt), asc(scimGroups.id))
    .limit(count)
    .offset(startIndex - 1)
}

export async function countGroups(tx: Transaction, customerId: CustomerId, filter?: GroupFilter) {
  const rows = await tx
    .select({ total: sql<number>`count(*)::int` })
    .from(scimGroups)
    .where(and(eq(scimGroups.customerId, customerId), filter && GROUPS_BY[filter.by](filter.value)))
  return rows[0]?.total ?? 0
}

const GROUPS_BY: Record<GroupFilter['by'], (value: string) => SQL> = {
  displayName: (value) => sql`lower(${scimGroups.displayName}) = lower(${value})`,
  externalId: (value) => eq(scimGroups.externalId, value),
  id: (value) => eq(scimGroups.id, value),
}

/**
 * Locks all groups of the customer until the transaction ends, and returns them. Every change of granted access does so
 * before it locks a member, so that two of them do not deadlock.
 */
export function lockGroups(tx: Transaction, customerId: CustomerId) {
  return tx
    .select(groupColumns)
    .from(scimGroups)
    .where(eq(scimGroups.customerId, customerId))
    .orderBy(asc(scimGroups.id))
    .for('no key update')
}

/** Adds a group. @returns the id; undefined where the customer has a group with this name */
export async function addGroup(
  tx: Transaction,
  customerId: CustomerId,
  values: Partial<Mapping> & { displayName: string; externalId?: string | null },
): Promise<string | undefined> {
  const rows = await tx
    .insert(scimGroups)
    .values({ customerId, id: randomUUID(), ...arrays(values) })
    .onConflictDoNothing()
    .returning({ id: scimGroups.id })
  return rows[0]?.id
}

export async function setGroup(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
  values: Partial<Mapping> & { displayName?: string; externalId?: string | null },
): Promise<void> {
  await tx.update(scimGroups).set(arrays(values)).where(groupOf(customerId, id))
}

function arrays<Values extends Partial<Mapping>>({ roles, billingProfiles, ...rest }: Values) {
  return {
    ...rest,
    ...(roles === undefined ? {} : { roles: roles && [...roles] }),
    ...(billingProfiles === undefined ? {} : { billingProfiles: billingProfiles && [...billingProfiles] }),
  }
}

export async function removeGroup(tx: Transaction, customerId: CustomerId, id: string): Promise<void> {
  await tx.delete(scimGroups).where(groupOf(customerId, id))
}

function groupOf(customerId: CustomerId, id: string) {
  return and(eq(scimGroups.customerId, customerId), eq(scimGroups.id, id))
}

/** Returns the members of these groups. */
export async function membersOf(tx: Transaction, customerId: CustomerId, groupIds: readonly string[]) {
  const { groupId, memberId } = scimGroupMembers
  return tx
    .select({ groupId, id: memberId, name: members.name })
    .from(scimGroupMembers)
    .innerJoin(members, and(there(customerId), eq(members.id, memberId)))
    .where(and(eq(scimGroupMembers.customerId, customerId), inArray(groupId, [...groupIds])))
    .orderBy(asc(groupId), asc(memberId))
}

/** Returns the groups of these members. */
export async function groupsOf(tx: Transaction, customerId: CustomerId, memberIds: readonly string[]) {
  const { groupId, memberId } = scimGroupMembers
  const rows = await tx
    .select({ groupId, memberId })
    .from(scimGroupMembers)
    .where(and(eq(scimGroupMembers.customerId, customerId), inArray(memberId, [...memberIds])))
  return Map.groupBy(rows, (row) => row.memberId)
}

export async function addToGroup(
  tx: Transaction,
  customerId: CustomerId,
  groupId: string,
  memberIds: readonly string[],
): Promise<void> {
  if (memberIds.length === 0) return
  const rows = memberIds.map((memberId) => ({ customerId, groupId, memberId }))
  await tx.insert(scimGroupMembers).values(rows).onConflictDoNothing()
}

/** Removes members from a group, or from all groups. */
export async function removeFromGroup(
  tx: Transaction,
  customerId: CustomerId,
  groupId: string | undefined,
  memberIds: readonly string[],
): Promise<void> {
  const membershipFilter = and(
    eq(scimGroupMembers.customerId, customerId),
    inArray(scimGroupMembers.memberId, [...memberIds]),
  )
  await tx
    .delete(scimGroupMembers)
    .where(
      groupId === undefined ? membershipFilter : and(membershipFilter, eq(scimGroupMembers.groupId, groupId)),
    )
}
