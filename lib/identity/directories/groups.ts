import 'server-only'
import { eq, sql } from 'drizzle-orm'
import { lockThere, regrant } from '#lib/identity/scim/groups/change.ts'
import { membersOf } from '#lib/identity/scim/store/group-members.ts'
import { lockGroups, setGroup } from '#lib/identity/scim/store/groups.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller, CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { scimGroupMembers } from '#lib/platform/db/schema/access/scim.ts'
import { actorOf, recordAudit } from '#lib/platform/history/audit.ts'

/** How many members are in each of the customer's groups. */
export async function membersByGroup(tx: Transaction, customerId: CustomerId): Promise<Map<string, number>> {
  const { groupId } = scimGroupMembers
  const rows = await tx
    .select({ groupId, count: sql<number>`count(*)::int` })
    .from(scimGroupMembers)
    .where(eq(scimGroupMembers.customerId, customerId))
    .groupBy(groupId)
  return new Map(rows.map((row) => [row.groupId, row.count]))
}

/**
 * Says that a group gives nothing: its members have from now on what their other groups give.
 * @throws Problem `not_found`, `last_admin`
 */
export async function unmapGroup(
  tx: Transaction,
  caller: Caller,
  groupId: string,
  requestId: string,
): Promise<void> {
  const { customerId } = caller
  const group = (await lockGroups(tx, customerId)).find(({ id }) => id === groupId)
  if (!group) throw new Problem('not_found', 'There is no such group.')
  if (group.roles === null) return
  const ids = (await membersOf(tx, customerId, [groupId])).map(({ id }) => id)
  await lockThere(tx, caller, ids)
  await setGroup(tx, customerId, groupId, { roles: null, billingProfiles: null })
  await regrant(tx, caller, ids, requestId)
  const event = { action: 'scim-group.mapped', subject: groupId, actor: actorOf(caller), requestId }
  await recordAudit(tx, customerId, { ...event, details: { name: group.displayName, roles: 'none' } })
}
