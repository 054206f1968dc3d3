import 'server-only'
import { randomUUID } from 'node:crypto'
import { and, asc, eq, inArray, type SQL, sql } from 'drizzle-orm'
import type { CustomerId, Role } from '#lib/access/rules.ts'
import type { Transaction } from '#lib/db/client.ts'
import { members } from '#lib/db/schema/customers.ts'
import { scimGroupMembers, scimGroups } from '#lib/db/schema/scim.ts'
import { there } from '#lib/members/store/read.ts'
import type { Comparison } from '../filter.ts'
import type { Mapping } from '../rules.ts'
import type { Page } from './users.ts'

export type GroupFilter = Comparison<'displayName' | 'externalId' | 'id'>
export type GroupRow = Awaited<ReturnType<typeof listGroups>>[number]

const shown = {
  id: scimGroups.id,
  displayName: scimGroups.displayName,
  externalId: scimGroups.externalId,
  roles: sql<Role[] | null>`${scimGroups.roles}`,
  billingProfiles: scimGroups.billingProfiles,
  createdAt: scimGroups.createdAt,
}

/** The customer's groups, in the order in which they were added. */
export function listGroups(
  tx: Transaction,
  customerId: CustomerId,
  filter?: GroupFilter,
  { startIndex, count }: Page = { startIndex: 1, count: 1000 },
) {
  return tx
    .select(shown)
    .from(scimGroups)
    .where(and(eq(scimGroups.customerId, customerId), filter && BY[filter.by](filter.value)))
    .orderBy(asc(scimGroups.createdAt), asc(scimGroups.id))
    .limit(count)
    .offset(startIndex - 1)
}

export async function countGroups(tx: Transaction, customerId: CustomerId, filter?: GroupFilter) {
  const rows = await tx
    .select({ total: sql<number>`count(*)::int` })
    .from(scimGroups)
    .where(and(eq(scimGroups.customerId, customerId), filter && BY[filter.by](filter.value)))
  return rows[0]?.total ?? 0
}

const BY: Record<GroupFilter['by'], (value: string) => SQL> = {
  displayName: (value) => sql`lower(${scimGroups.displayName}) = lower(${value})`,
  externalId: (value) => eq(scimGroups.externalId, value),
  id: (value) => eq(scimGroups.id, value),
}

/**
 * The customer's groups as they stay until the transaction ends: who changes what groups give takes them all, before any
 * member, so that two such changes wait for each other and never in a circle.
 */
export function lockGroups(tx: Transaction, customerId: CustomerId) {
  return tx
    .select(shown)
    .from(scimGroups)
    .where(eq(scimGroups.customerId, customerId))
    .orderBy(asc(scimGroups.id))
    .for('no key update')
}

/** @returns the id; undefined where the customer has a group with this name already */
export async function addGroup(
  tx: Transaction,
  customerId: CustomerId,
  given: Partial<Mapping> & { displayName: string; externalId?: string | null },
): Promise<string | undefined> {
  const rows = await tx
    .insert(scimGroups)
    .values({ customerId, id: randomUUID(), ...arrays(given) })
    .onConflictDoNothing()
    .returning({ id: scimGroups.id })
  return rows[0]?.id
}

export async function setGroup(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
  given: Partial<Mapping> & { displayName?: string; externalId?: string | null },
): Promise<void> {
  await tx.update(scimGroups).set(arrays(given)).where(groupOf(customerId, id))
}

function arrays<Given extends Partial<Mapping>>({ roles, billingProfiles, ...rest }: Given) {
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

/** Who is in these groups. */
export async function membersOf(tx: Transaction, customerId: CustomerId, groupIds: readonly string[]) {
  const { groupId, memberId } = scimGroupMembers
  return tx
    .select({ groupId, id: memberId, name: members.name })
    .from(scimGroupMembers)
    .innerJoin(members, and(there(customerId), eq(members.id, memberId)))
    .where(and(eq(scimGroupMembers.customerId, customerId), inArray(groupId, [...groupIds])))
    .orderBy(asc(groupId), asc(memberId))
}

/** In which groups each of these members is. */
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

/** Takes members out of a group; out of all of them, where none is named. */
export async function takeFromGroup(
  tx: Transaction,
  customerId: CustomerId,
  groupId: string | undefined,
  memberIds: readonly string[],
): Promise<void> {
  const own = and(
    eq(scimGroupMembers.customerId, customerId),
    inArray(scimGroupMembers.memberId, [...memberIds]),
  )
  await tx
    .delete(scimGroupMembers)
    .where(groupId === undefined ? own : and(own, eq(scimGroupMembers.groupId, groupId)))
}
