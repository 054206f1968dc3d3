import 'server-only'
import { eq, sql } from 'drizzle-orm'
import { lockThere, mapGroup, regrant } from '#lib/identity/scim/groups.ts'
import { listGroups, lockGroups, membersOf, setGroup } from '#lib/identity/scim/store.ts'
import { issueToken, listTokens, revokeToken } from '#lib/identity/scim/tokens.ts'
import { changeSignInMethods } from '#lib/identity/single-sign-on/may-set.ts'
import { operation } from '#lib/platform/api/operation.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller, CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { scimGroupMembers } from '#lib/platform/db/schema/access/scim.ts'
import { readScope } from '#lib/platform/db/scope.ts'
import { actorOf, recordAudit } from '#lib/platform/history/audit.ts'
import { env } from '#lib/platform/runtime/env.ts'
import * as contract from './contract.ts'
import { serializeGroup, serializeToken } from './serialize.ts'

/** Responses with a secret must not be cached. */
const UNKEPT = { 'Cache-Control': 'no-store' }

export const readDirectory = operation(contract.readDirectory, async (caller) => {
  const { customerId } = caller
  const { tokens, groups } = await readScope(caller, async (tx) => ({
    tokens: await listTokens(tx, customerId),
    groups: await groupsOf(tx, caller),
  }))
  const address = `${env().baseUrl}/scim/v2`
  return { body: { address, tokens: tokens.map((row) => serializeToken(row)), groups } }
})

export const issueDirectoryToken = operation(
  contract.issueDirectoryToken,
  async (caller, { body: { name, roles, validDays: days } }, { requestId }) => {
    const run = async (tx: Transaction, now: Caller) => {
      const newToken = { name, roles: [...new Set(roles)], days }
      const { id, secret } = await issueToken(tx, now, newToken, requestId)
      const row = (await listTokens(tx, now.customerId)).find((one) => one.id === id)
      if (!row) throw new Error('The token that was just issued is not there.')
      return { token: serializeToken(row), secret }
    }
    return { body: await changeSignInMethods(caller, run), headers: UNKEPT }
  },
)

export const revokeDirectoryToken = operation(
  contract.revokeDirectoryToken,
  async (caller, { params }, { requestId }) => {
    const run = (tx: Transaction, now: Caller) => revokeToken(tx, now, params.token_id, requestId)
    await changeSignInMethods(caller, run, { evenIfClosed: true })
    return { body: { revoked: true as const } }
  },
)

export const mapDirectoryGroup = operation(
  contract.mapDirectoryGroup,
  async (caller, { body }, { requestId }) => {
    const { name, roles, billingProfiles = null } = body
    const run = async (tx: Transaction) => {
      const mapping = { name, roles: [...new Set(roles)], billingProfiles }
      await mapGroup(tx, caller, mapping, requestId)
      return groupWhere(tx, caller, (group) => group.name.toLowerCase() === name.toLowerCase())
    }
    return { body: await changeSignInMethods(caller, run) }
  },
)

export const unmapDirectoryGroup = operation(
  contract.unmapDirectoryGroup,
  async (caller, { params: { group_id: id } }, { requestId }) => {
    const run = async (tx: Transaction) => {
      await unmapGroup(tx, caller, id, requestId)
      return groupWhere(tx, caller, (group) => group.id === id)
    }
    return { body: await changeSignInMethods(caller, run) }
  },
)

async function groupsOf(tx: Transaction, { customerId }: Caller): Promise<contract.Group[]> {
  const counts = await membersByGroup(tx, customerId)
  return (await listGroups(tx, customerId)).map((row) => serializeGroup(row, counts.get(row.id) ?? 0))
}

async function groupWhere(tx: Transaction, caller: Caller, is: (group: contract.Group) => boolean) {
  const group = (await groupsOf(tx, caller)).find(is)
  if (!group) throw new Error('The group that was just mapped is not there.')
  return group
}

/** Returns the number of members of each of the customer's groups. */
async function membersByGroup(tx: Transaction, customerId: CustomerId): Promise<Map<string, number>> {
  const { groupId } = scimGroupMembers
  const rows = await tx
    .select({ groupId, count: sql<number>`count(*)::int` })
    .from(scimGroupMembers)
    .where(eq(scimGroupMembers.customerId, customerId))
    .groupBy(groupId)
  return new Map(rows.map((row) => [row.groupId, row.count]))
}

/**
 * Removes a group's mapping: its members keep the access that their other groups grant.
 * @throws Problem `not_found`, `last_admin`
 */
async function unmapGroup(
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
