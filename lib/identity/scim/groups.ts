import 'server-only'
import { listBillingProfiles } from '#lib/identity/customers/billing-profiles.ts'
import { change } from '#lib/identity/members/change.ts'
import { lockMembers } from '#lib/identity/members/store.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller, CustomerId, Role } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { actorOf, recordAudit } from '#lib/platform/history/audit.ts'
import { MAX_OPERATIONS } from './contract.ts'
import { readFilter } from './filter.ts'
import type { Step } from './patch.ts'
import { scimError } from './protocol.ts'
import { accessOfGroups } from './rules.ts'
import { checkVersion, type Group, serializeGroup } from './serialize.ts'
import * as people from './store.ts'
import * as store from './store.ts'
import { membersOf } from './store.ts'
import { type ChangeOptions, textOf } from './users.ts'

const MISSING = 'There is no such group.'

/** Returns the group with this id. @throws Problem `not_found` */
export async function groupWith(tx: Transaction, { customerId }: Caller, id: string): Promise<Group> {
  const [row] = await store.listGroups(tx, customerId, { by: 'id', value: id })
  if (!row) throw new Problem('not_found', MISSING)
  return serializeGroup(row, await people.membersOf(tx, customerId, [id]))
}

/** Adds a group, which grants nothing until it is mapped. @throws Problem `uniqueness` (409) */
export async function createGroup(
  tx: Transaction,
  caller: Caller,
  steps: readonly Step[],
  { requestId }: ChangeOptions,
): Promise<Group> {
  const { customerId } = caller
  const { displayName, externalId = null, members } = groupAfter(steps, [])
  if (displayName === undefined) throw scimError('invalidValue', 'displayName is required.')
  await lockThere(tx, caller, [...members])
  const id = await store.addGroup(tx, customerId, { displayName, externalId, roles: null })
  if (id === undefined) throw exists(displayName)
  await people.addToGroup(tx, customerId, id, [...members])
  const event = { action: 'scim-group.added', subject: id, actor: actorOf(caller), requestId }
  await recordAudit(tx, customerId, { ...event, details: { name: displayName, members: members.size } })
  return groupWith(tx, caller, id)
}

/**
 * Changes a group. Added and removed members get the access of their mapped groups.
 * @throws Problem `not_found`, `member_changed`, `uniqueness` (409), `last_admin`, `permission_denied` for more access
 * than the token may grant, or a SCIM error
 */
export async function changeGroup(
  tx: Transaction,
  caller: Caller,
  id: string,
  { steps, ifMatch, requestId }: ChangeOptions & { steps: readonly Step[] },
): Promise<Group> {
  const { customerId } = caller
  const groups = await store.lockGroups(tx, customerId)
  const row = groups.find((group) => group.id === id)
  if (!row) throw new Problem('not_found', MISSING)
  const before = await people.membersOf(tx, customerId, [id])
  checkVersion(serializeGroup(row, before), ifMatch)
  const ids = before.map((member) => member.id)
  const input = groupAfter(steps, ids)
  const added = [...input.members].filter((member) => !ids.includes(member))
  const removed = ids.filter((member) => !input.members.has(member))
  await lockThere(tx, caller, [...added, ...removed])
  await rename(tx, caller, { row, groups, input })
  await people.addToGroup(tx, customerId, id, added)
  if (removed.length > 0) await people.removeFromGroup(tx, customerId, id, removed)
  if (row.roles !== null) await regrant(tx, caller, [...added, ...removed], requestId)
  const event = { action: 'scim-group.changed', subject: id, actor: actorOf(caller), requestId }
  const { displayName: name = row.displayName } = input
  const details = { name, added: added.length, removed: removed.length }
  await recordAudit(tx, customerId, { ...event, details })
  return groupWith(tx, caller, id)
}

async function rename(
  tx: Transaction,
  { customerId }: Caller,
  { row, groups, input }: { row: store.GroupRow; groups: readonly store.GroupRow[]; input: GroupInput },
): Promise<void> {
  const { displayName = row.displayName, externalId = row.externalId } = input
  const hasSameName = (other: store.GroupRow) =>
    other.id !== row.id && other.displayName.toLowerCase() === displayName.toLowerCase()
  if (groups.some(hasSameName)) throw exists(displayName)
  await store.setGroup(tx, customerId, row.id, { displayName, externalId })
}

/** Deletes a group, and removes the access that it granted. */
export async function deleteGroup(
  tx: Transaction,
  caller: Caller,
  id: string,
  { ifMatch, requestId }: ChangeOptions,
): Promise<void> {
  const { customerId } = caller
  const row = (await store.lockGroups(tx, customerId)).find((group) => group.id === id)
  if (!row) throw new Problem('not_found', MISSING)
  const members = await people.membersOf(tx, customerId, [id])
  checkVersion(serializeGroup(row, members), ifMatch)
  const ids = members.map((member) => member.id)
  await lockThere(tx, caller, ids)
  await store.removeGroup(tx, customerId, id)
  if (row.roles !== null) await regrant(tx, caller, ids, requestId)
  const event = { action: 'scim-group.removed', subject: id, actor: actorOf(caller), requestId }
  await recordAudit(tx, customerId, { ...event, details: { name: row.displayName } })
}

/** Changes each of these members, locked by the caller, to the access of their mapped groups. */
export async function regrant(
  tx: Transaction,
  caller: Caller,
  ids: readonly string[],
  requestId: string,
): Promise<void> {
  const { customerId } = caller
  if (ids.length === 0) return
  const groups = new Map((await store.lockGroups(tx, customerId)).map((group) => [group.id, group]))
  const groupsOf = await people.groupsOf(tx, customerId, ids)
  for (const id of ids) {
    const theirs = (groupsOf.get(id) ?? []).flatMap(({ groupId }) => groups.get(groupId) ?? [])
    await change(tx, caller, id, { requested: accessOfGroups(theirs), requestId })
  }
}

/** Locks the added and removed members in one statement. @throws Problem where one of them is not a member */
export async function lockThere(tx: Transaction, caller: Caller, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  const locked = new Set((await lockMembers(tx, caller.customerId, ids)).map(({ id }) => id))
  const unknown = ids.find((id) => !locked.has(id))
  if (unknown !== undefined) throw scimError('invalidValue', `There is no user "${unknown}" for members.`)
}

function exists(name: string): Problem {
  return scimError('uniqueness', `There is a group with the name ${name} already.`)
}

/**
 * Maps a group to access, which its members get immediately. A group that does not exist yet is added, so that it can
 * be mapped before the directory fills it.
 * @param mapping.billingProfiles null: all of the customer's
 * @throws Problem `invalid_request` for an unknown billing profile, `last_admin`
 */
export async function mapGroup(
  tx: Transaction,
  caller: Caller,
  mapping: { name: string; roles: readonly Role[]; billingProfiles: readonly string[] | null },
  requestId: string,
): Promise<void> {
  const { customerId } = caller
  const { name, roles, billingProfiles } = mapping
  const profileIds = (await listBillingProfiles(tx, customerId)).map(({ id }) => id)
  const unknown = billingProfiles?.find((id) => !profileIds.includes(id))
  if (unknown !== undefined) throw new Problem('invalid_request', `"${unknown}" is no billing profile.`)
  await store.addGroup(tx, customerId, { displayName: name, roles: null })
  const groups = await store.lockGroups(tx, customerId)
  const group = groups.find(({ displayName }) => displayName.toLowerCase() === name.toLowerCase())
  if (!group) throw new Error('The group that was just added is not there.')
  const ids = (await membersOf(tx, customerId, [group.id])).map(({ id }) => id)
  await lockThere(tx, caller, ids)
  await store.setGroup(tx, customerId, group.id, { roles, billingProfiles })
  await regrant(tx, caller, ids, requestId)
  const event = { action: 'scim-group.mapped', subject: group.id, actor: actorOf(caller), requestId }
  const details = { name, roles: [...roles], profiles: billingProfiles ? [...billingProfiles] : 'all' }
  await recordAudit(tx, customerId, { ...event, details })
}

/** Lists the groups with the access that each gives. */
export async function listMappings(tx: Transaction, customerId: CustomerId) {
  return (await store.listGroups(tx, customerId)).map(
    ({ displayName: name, roles, billingProfiles, id }) => ({
      name,
      roles: roles ?? 'not mapped',
      billingProfiles: roles === null ? '' : (billingProfiles ?? 'all'),
      id,
    }),
  )
}

/** Requested state of a group; undefined fields stay as they are. */
type GroupInput = { displayName?: string; externalId?: string | null; members: Set<string> }

const READ_ONLY = ['id', 'meta', 'schemas']

/**
 * Returns the group after the steps of a PATCH, or of a whole group.
 * @param members ids of its members
 * @throws Problem `invalidValue`, `invalidFilter`, `invalidPath` or `mutability`
 */
function groupAfter(steps: readonly Step[], members: readonly string[]): GroupInput {
  const input: GroupInput = { members: new Set(members) }
  for (const step of steps) applyStep(input, step)
  return input
}

/** Returns the steps that set the attributes of a whole group. */
export function stepsOfGroup(resource: Record<string, unknown>): Step[] {
  return Object.entries(resource).map(([name, value]) => ({
    name: name.toLowerCase(),
    op: 'replace',
    value,
    isNamed: false,
  }))
}

function applyStep(input: GroupInput, step: Step): void {
  const { name, op, value, isNamed } = step
  if (name === 'members') applyMembers(input.members, step)
  else if (name === 'displayname') {
    const text = op === 'remove' ? null : textOf(name, value)
    if (text === null) throw scimError('invalidValue', 'displayName is required.')
    input.displayName = text
  } else if (name === 'externalid') input.externalId = op === 'remove' ? null : textOf(name, value, 300)
  else if (isNamed && READ_ONLY.includes(name))
    throw scimError('mutability', `${name} cannot be changed by a directory.`)
}

function applyMembers(members: Set<string>, { op, value, filter }: Step): void {
  if (filter !== undefined) {
    if (op !== 'remove') throw scimError('invalidPath', 'Members are chosen in a path to be removed only.')
    members.delete(readFilter(filter, { value: 'value' }).value)
    return
  }
  const named = value === undefined || value === null ? undefined : idsOf(value)
  if (op === 'replace' || (op === 'remove' && !named)) members.clear()
  for (const id of named ?? [])
    if (op === 'remove') members.delete(id)
    else members.add(id)
}

function idsOf(value: unknown): string[] {
  const all = Array.isArray(value) ? value : [value]
  if (all.length > MAX_OPERATIONS)
    throw scimError('invalidValue', `One request may name at most ${MAX_OPERATIONS} members.`)
  return all.map((one: unknown) => {
    const id = typeof one === 'object' && one !== null && 'value' in one ? one.value : undefined
    if (typeof id !== 'string' || id.length > 100 || textOf('members', id) === null)
      throw scimError('invalidValue', 'Each of members must have the id of a user as its value.')
    return id
  })
}
