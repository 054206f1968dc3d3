import 'server-only'
import { checkOpen, operation } from '#lib/platform/api/operation.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import * as contract from './contract.ts'
import * as discovery from './discovery.ts'
import { read, write } from './door.ts'
import { readFilter } from './filter.ts'
import { changeGroup, createGroup, deleteGroup, groupWith } from './groups/change.ts'
import { stepsOfGroup } from './groups/input.ts'
import { stepsOf } from './patch.ts'
import { listed, pageOf, type Selection, selected, selects } from './selection.ts'
import { type Group, serializeGroup, serializeUser, type User } from './serialize.ts'
import { membersOf } from './store/group-members.ts'
import { countGroups, listGroups } from './store/groups.ts'
import { listUsers } from './store/users.ts'
import { type Asked, changeUser, createUser, deleteUser, userWith } from './users/change.ts'
import { type UserInput, userAfter, userOf } from './users/input.ts'

const USERS_BY = {
  username: 'userName',
  'emails.value': 'userName',
  'emails[type eq "work"].value': 'userName',
  externalid: 'externalId',
  id: 'id',
} as const
const GROUPS_BY = { displayname: 'displayName', externalid: 'externalId', id: 'id' } as const

/** One resource, with its version as the ETag. */
function reply<Resource extends User | Group>(resource: Resource, query: Selection, status?: 201) {
  const { version, location = '' } = resource.meta ?? {}
  const headers: Record<string, string> = status === 201 ? { Location: location } : {}
  const body = selected(resource, query)
  return { body, headers, ...(version ? { version } : {}), ...(status ? { status } : {}) }
}

const GONE = { body: null, status: 204 } as const

function oneOf<Named extends { id: string; schemas: string[] }>(all: Named[], name: string): Named {
  const found = all.find(({ id }) => id === name)
  if (!found) throw new Problem('not_found')
  return found
}

export const readScimProvider = operation(contract.readScimProvider, async () => ({
  body: discovery.provider(),
}))
export const listScimResourceTypes = operation(contract.listScimResourceTypes, async () => {
  const all = discovery.resourceTypes()
  return { body: listed(all, all.length) }
})
export const readScimResourceType = operation(contract.readScimResourceType, async (_, { params }) => ({
  body: oneOf(discovery.resourceTypes(), params.name),
}))
export const listScimSchemas = operation(contract.listScimSchemas, async () => {
  const all = discovery.schemas()
  return { body: listed(all, all.length) }
})
export const readScimSchema = operation(contract.readScimSchema, async (_, { params }) => ({
  body: oneOf(discovery.schemas(), params.name),
}))

export const listScimUsers = operation(contract.listScimUsers, async (caller, { query }) => {
  const page = pageOf(query)
  const filter = query.filter === undefined ? undefined : readFilter(query.filter, USERS_BY)
  const { total, found } = await read(caller, (tx) => listUsers(tx, caller.customerId, filter, page))
  const users = found.map((row) => selected(serializeUser(row), query))
  return { body: listed(users, total, page.startIndex) }
})

export const createScimUser = operation(contract.createScimUser, async (caller, { body, query }, trace) => {
  const input = userOf(body)
  return reply(await write(caller, (tx) => createUser(tx, caller, input, trace)), query, 201)
})

export const readScimUser = operation(contract.readScimUser, async (caller, { params, query }) =>
  reply(await read(caller, (tx) => userWith(tx, caller, params.user_id)), query),
)

export const replaceScimUser = operation(contract.replaceScimUser, async (caller, given, { requestId }) => {
  const { params, body, query, headers } = given
  const asked = { ifMatch: headers?.['if-match'], requestId }
  return reply(await changed(caller, params.user_id, userOf(body), asked), query)
})

export const patchScimUser = operation(contract.patchScimUser, async (caller, given, { requestId }) => {
  const { params, body, query, headers } = given
  const asked = { ifMatch: headers?.['if-match'], requestId }
  return reply(await changed(caller, params.user_id, userAfter(stepsOf(body)), asked), query)
})

/** At a closed customer a user may be shut out, and nothing else changes of them. */
function changed(caller: Caller, id: string, input: UserInput, asked: Asked): Promise<User> {
  const evenIfClosed = caller.closed !== undefined && input.active === false
  checkOpen(caller, { method: 'PATCH', evenIfClosed })
  const given = evenIfClosed ? { active: false } : input
  return write(caller, (tx) => changeUser(tx, caller, id, given, asked), { evenIfClosed })
}

export const deleteScimUser = operation(contract.deleteScimUser, async (caller, given, { requestId }) => {
  const { params, headers } = given
  const asked = { ifMatch: headers?.['if-match'], requestId }
  await write(caller, (tx) => deleteUser(tx, caller, params.user_id, asked), { evenIfClosed: true })
  return GONE
})

export const listScimGroups = operation(contract.listScimGroups, async (caller, { query }) => {
  const { customerId } = caller
  const page = pageOf(query)
  const filter = query.filter === undefined ? undefined : readFilter(query.filter, GROUPS_BY)
  return read(caller, async (tx) => {
    const total = await countGroups(tx, customerId, filter)
    const rows = await listGroups(tx, customerId, filter, page)
    const ids = selects(query, 'members') ? rows.map(({ id }) => id) : []
    const members = ids.length > 0 ? await membersOf(tx, customerId, ids) : []
    const of = Map.groupBy(members, ({ groupId }) => groupId)
    const groups = rows.map((row) => selected(serializeGroup(row, of.get(row.id) ?? []), query))
    return { body: listed(groups, total, page.startIndex) }
  })
})

export const createScimGroup = operation(contract.createScimGroup, async (caller, { body, query }, trace) => {
  const steps = stepsOfGroup(body)
  return reply(await write(caller, (tx) => createGroup(tx, caller, steps, trace)), query, 201)
})

export const readScimGroup = operation(contract.readScimGroup, async (caller, { params, query }) =>
  reply(await read(caller, (tx) => groupWith(tx, caller, params.group_id)), query),
)

export const replaceScimGroup = operation(contract.replaceScimGroup, async (caller, given, { requestId }) => {
  const { params, body, query, headers } = given
  const asked = { ifMatch: headers?.['if-match'], requestId }
  const steps = stepsOfGroup(body)
  return reply(await write(caller, (tx) => changeGroup(tx, caller, params.group_id, steps, asked)), query)
})

export const patchScimGroup = operation(contract.patchScimGroup, async (caller, given, { requestId }) => {
  const { params, body, query, headers } = given
  const asked = { ifMatch: headers?.['if-match'], requestId }
  const steps = stepsOf(body)
  return reply(await write(caller, (tx) => changeGroup(tx, caller, params.group_id, steps, asked)), query)
})

export const deleteScimGroup = operation(contract.deleteScimGroup, async (caller, given, { requestId }) => {
  const { params, headers } = given
  const asked = { ifMatch: headers?.['if-match'], requestId }
  await write(caller, (tx) => deleteGroup(tx, caller, params.group_id, asked))
  return GONE
})
