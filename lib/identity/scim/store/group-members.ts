import 'server-only'
import { and, asc, eq, inArray } from 'drizzle-orm'
import { there } from '#lib/identity/members/store.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { scimGroupMembers } from '#lib/platform/db/schema/access/scim.ts'
import { members } from '#lib/platform/db/schema/customers.ts'

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
