import 'server-only'
import { checkOpen, operation } from '#lib/platform/api/operation.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { readScope, scope } from '#lib/platform/db/scope.ts'
import * as contract from './contract.ts'
import { LIST, MAX_RESULTS } from './contract.ts'
import * as discovery from './discovery.ts'
import { readFilter, withoutSchema } from './filter.ts'
import { changeGroup, createGroup, deleteGroup, groupWith, stepsOfGroup } from './groups.ts'
import { stepsOf } from './patch.ts'
import { type Group, serializeGroup, serializeUser, type User } from './serialize.ts'
import { countGroups, listGroups, listUsers, membersOf } from './store.ts'
import { lockToken, tokenWorks } from './tokens.ts'
import {
  type ChangeOptions,
  changeUser,
  createUser,
  deleteUser,
  type UserInput,
  userAfter,
  userOf,
  userWith,
} from './users.ts'

const USERS_BY = {
  username: 'userName',
  'emails.value': 'userName',
  'emails[type eq "work"].value': 'userName',
  externalid: 'externalId',
  id: 'id',
} as const
const GROUPS_BY = { displayname: 'displayName', externalid: 'externalId', id: 'id' } as const

/** Returns the response with one resource, whose version is the ETag. */
function reply<Resource extends User | Group>(resource: Resource, query: Selection, status?: 201) {
  const { version, location = '' } = resource.meta ?? {}
  const headers: Record<string, string> = status === 201 ? { Location: location } : {}
  const body = selected(resource, query)
  return { body, headers, ...(version ? { version } : {}), ...(status ? { status } : {}) }
}

const NO_CONTENT = { body: null, status: 204 } as const

function oneOf<Named extends { id: string; schemas: string[] }>(all: Named[], name: string): Named {
  const resource = all.find(({ id }) => id === name)
  if (!resource) throw new Problem('not_found')
  return resource
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

export const createScimUser = operation(contract.createScimUser, async (caller, { body, query }, meta) => {
  const input = userOf(body)
  return reply(await write(caller, (tx) => createUser(tx, caller, input, meta)), query, 201)
})

export const readScimUser = operation(contract.readScimUser, async (caller, { params, query }) =>
  reply(await read(caller, (tx) => userWith(tx, caller, params.user_id)), query),
)

export const replaceScimUser = operation(contract.replaceScimUser, async (caller, request, { requestId }) => {
  const { params, body, query, headers } = request
  const changeOptions = { ifMatch: headers?.['if-match'], requestId }
  return reply(await changed(caller, params.user_id, userOf(body), changeOptions), query)
})

export const patchScimUser = operation(contract.patchScimUser, async (caller, request, { requestId }) => {
  const { params, body, query, headers } = request
  const changeOptions = { ifMatch: headers?.['if-match'], requestId }
  return reply(await changed(caller, params.user_id, userAfter(stepsOf(body)), changeOptions), query)
})

/** Changes a user. At a closed customer only disabling is allowed. */
function changed(caller: Caller, id: string, input: UserInput, changeOptions: ChangeOptions): Promise<User> {
  const evenIfClosed = caller.closed !== undefined && input.active === false
  checkOpen(caller, { method: 'PATCH', evenIfClosed })
  const values = evenIfClosed ? { active: false } : input
  return write(caller, (tx) => changeUser(tx, caller, id, { input: values, ...changeOptions }), {
    evenIfClosed,
  })
}

export const deleteScimUser = operation(contract.deleteScimUser, async (caller, request, { requestId }) => {
  const { params, headers } = request
  const changeOptions = { ifMatch: headers?.['if-match'], requestId }
  await write(caller, (tx) => deleteUser(tx, caller, params.user_id, changeOptions), { evenIfClosed: true })
  return NO_CONTENT
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
    const membersByGroup = Map.groupBy(members, ({ groupId }) => groupId)
    const groups = rows.map((row) => selected(serializeGroup(row, membersByGroup.get(row.id) ?? []), query))
    return { body: listed(groups, total, page.startIndex) }
  })
})

export const createScimGroup = operation(contract.createScimGroup, async (caller, { body, query }, meta) => {
  const steps = stepsOfGroup(body)
  return reply(await write(caller, (tx) => createGroup(tx, caller, steps, meta)), query, 201)
})

export const readScimGroup = operation(contract.readScimGroup, async (caller, { params, query }) =>
  reply(await read(caller, (tx) => groupWith(tx, caller, params.group_id)), query),
)

export const replaceScimGroup = operation(
  contract.replaceScimGroup,
  async (caller, request, { requestId }) => {
    const { params, body, query, headers } = request
    const changeOptions = { ifMatch: headers?.['if-match'], requestId }
    const steps = stepsOfGroup(body)
    return reply(
      await write(caller, (tx) => changeGroup(tx, caller, params.group_id, { steps, ...changeOptions })),
      query,
    )
  },
)

export const patchScimGroup = operation(contract.patchScimGroup, async (caller, request, { requestId }) => {
  const { params, body, query, headers } = request
  const changeOptions = { ifMatch: headers?.['if-match'], requestId }
  const steps = stepsOf(body)
  return reply(
    await write(caller, (tx) => changeGroup(tx, caller, params.group_id, { steps, ...changeOptions })),
    query,
  )
})

export const deleteScimGroup = operation(contract.deleteScimGroup, async (caller, request, { requestId }) => {
  const { params, headers } = request
  const changeOptions = { ifMatch: headers?.['if-match'], requestId }
  await write(caller, (tx) => deleteGroup(tx, caller, params.group_id, changeOptions))
  return NO_CONTENT
})

type Selection = { attributes?: string | undefined; excludedAttributes?: string | undefined }

/** Attributes that are always returned (RFC 7643, 3.1 and 7). */
const ALWAYS = ['schemas', 'id']

/** Returns whether the response includes an attribute. */
function selects({ attributes, excludedAttributes }: Selection, name: string): boolean {
  if (ALWAYS.includes(name)) return true
  if (attributes !== undefined) return namesOf(attributes).includes(name.toLowerCase())
  return excludedAttributes === undefined || !namesOf(excludedAttributes).includes(name.toLowerCase())
}

/** Returns a resource with the requested attributes. */
function selected<Resource extends { id: string; schemas: string[] }>(
  resource: Resource,
  selection: Selection,
): Resource {
  const entries = Object.entries(resource).filter(([name]) => selects(selection, name))
  return Object.fromEntries(entries) as Resource
}

/** Returns the attribute names of a selection; a sub-attribute selects its whole attribute. */
function namesOf(text: string): string[] {
  return text.split(',').map((name) => withoutSchema(name.trim()).split('.')[0]?.toLowerCase() ?? '')
}

/** Returns the start of a page, from 1 on, and its size. Values out of bounds are limited (RFC 7644, 3.4.2.4). */
function pageOf({
  startIndex = 1,
  count = 100,
}: {
  startIndex?: number | undefined
  count?: number | undefined
}) {
  return { startIndex: Math.max(1, startIndex), count: Math.min(MAX_RESULTS, Math.max(0, count)) }
}

function listed<Resource>(Resources: Resource[], totalResults: number, startIndex = 1) {
  return { schemas: [LIST], totalResults, startIndex, itemsPerPage: Resources.length, Resources }
}

/** Runs a read of a directory. The authentication admits no other caller, and this check rejects any other. */
function read<T>(caller: Caller, fn: Parameters<typeof readScope<T>>[1]): Promise<T> {
  return readScope(requireDirectory(caller), fn)
}

/**
 * Runs a change by a directory, in one transaction. Its token is checked at the start and again after all writes: a
 * concurrent revocation commits either before that check, which undoes the change, or after the transaction. The token
 * is locked for that check only, and after members, so that a revocation does not wait for a long write.
 * @throws Problem `unauthenticated` where the token has ended since the request began
 * @param how see `scope`: a leaver is removed even if the customer is closed
 */
function write<T>(
  caller: Caller,
  fn: Parameters<typeof scope<T>>[1],
  how?: { evenIfClosed: boolean },
): Promise<T> {
  const { customerId, id } = requireDirectory(caller)
  const work = async (tx: Transaction) => {
    if (!(await tokenWorks(tx, customerId, id))) throw ended()
    const done = await fn(tx)
    if (!(await lockToken(tx, customerId, id))) throw ended()
    return done
  }
  return scope(caller, work, how)
}

function ended(): Problem {
  const headers = { 'WWW-Authenticate': 'Bearer error="invalid_token"' }
  return new Problem('unauthenticated', 'The token of this request has ended meanwhile.', { headers })
}

function requireDirectory(caller: Caller): Caller {
  if (caller.via !== 'scim') throw new Problem('unauthenticated')
  return caller
}
