import { z } from 'zod'
import { contract, emptyBody } from '#lib/api/contract.ts'
import { calls } from './calls.ts'
import { SCIM } from './protocol.ts'
import * as shapes from './shapes.ts'

// What is promised is RFC 7643 and RFC 7644, which `/scim/v2/Schemas` and `/ServiceProviderConfig` describe in SCIM's own way.

const description = 'SCIM 2.0 (RFC 7644), for the directory of a customer: see docs/scim.md.'
const ours = { permission: 'any', protocol: SCIM, description } as const
const Described = z.record(z.string(), z.unknown())

const selection = {
  attributes: z.string().max(2000).optional(),
  excludedAttributes: z.string().max(2000).optional(),
}
const whole = z
  .string()
  .regex(/^-?\d{1,9}$/, 'must be a whole number')
  .transform(Number)
  .optional()
const list = { ...selection, filter: z.string().max(2000).optional(), startIndex: whole, count: whole }
const one = { query: z.object(selection) }
const tag = z.string().max(1000).optional()
const changed = { ...one, headers: z.object({ 'if-match': tag }), bodyLimit: shapes.BODY_LIMIT }
const removed = { headers: changed.headers, body: emptyBody, output: z.null() }
const named = { params: z.object({ name: z.string().max(200) }) }
const user = { params: z.object({ user_id: z.string().min(1).max(100) }) }
const group = { params: z.object({ group_id: z.string().min(1).max(100) }) }
const given = [
  'member_exists',
  'group_exists',
  'last_admin',
  'member_changed',
  'permission_denied',
  'not_found',
] as const

export const readScimProvider = contract({
  ...calls.readScimProvider,
  ...ours,
  summary: 'What of SCIM there is',
  output: Described,
})
export const listScimResourceTypes = contract({
  ...calls.listScimResourceTypes,
  ...ours,
  summary: 'List the types of resources',
  output: shapes.listOf(Described),
})
export const readScimResourceType = contract({
  ...calls.readScimResourceType,
  ...ours,
  ...named,
  summary: 'Read a type of resources',
  output: Described,
})
export const listScimSchemas = contract({
  ...calls.listScimSchemas,
  ...ours,
  summary: 'List the schemas',
  output: shapes.listOf(Described),
})
export const readScimSchema = contract({
  ...calls.readScimSchema,
  ...ours,
  ...named,
  summary: 'Read a schema',
  output: Described,
})

export const listScimUsers = contract({
  ...calls.listScimUsers,
  ...ours,
  summary: 'List users',
  query: z.object(list),
  output: shapes.listOf(shapes.User),
})
export const createScimUser = contract({
  ...calls.createScimUser,
  ...ours,
  ...changed,
  summary: 'Add a user',
  body: shapes.UserGiven,
  output: shapes.User,
  problems: given,
})
export const readScimUser = contract({
  ...calls.readScimUser,
  ...ours,
  ...one,
  ...user,
  summary: 'Read a user',
  output: shapes.User,
})
export const replaceScimUser = contract({
  ...calls.replaceScimUser,
  ...ours,
  ...changed,
  ...user,
  summary: 'Replace a user',
  body: shapes.UserGiven,
  output: shapes.User,
  problems: given,
})
export const patchScimUser = contract({
  ...calls.patchScimUser,
  ...ours,
  ...changed,
  ...user,
  summary: 'Change a user',
  body: shapes.Patch,
  output: shapes.User,
  problems: given,
})
export const deleteScimUser = contract({
  ...calls.deleteScimUser,
  ...ours,
  ...removed,
  ...user,
  summary: 'Take a user away',
  problems: given,
})

export const listScimGroups = contract({
  ...calls.listScimGroups,
  ...ours,
  summary: 'List groups',
  query: z.object(list),
  output: shapes.listOf(shapes.Group),
})
export const createScimGroup = contract({
  ...calls.createScimGroup,
  ...ours,
  ...changed,
  summary: 'Add a group',
  body: shapes.GroupGiven,
  output: shapes.Group,
  problems: given,
})
export const readScimGroup = contract({
  ...calls.readScimGroup,
  ...ours,
  ...one,
  ...group,
  summary: 'Read a group',
  output: shapes.Group,
})
export const replaceScimGroup = contract({
  ...calls.replaceScimGroup,
  ...ours,
  ...changed,
  ...group,
  summary: 'Replace a group',
  body: shapes.GroupGiven,
  output: shapes.Group,
  problems: given,
})
export const patchScimGroup = contract({
  ...calls.patchScimGroup,
  ...ours,
  ...changed,
  ...group,
  summary: 'Change a group',
  body: shapes.Patch,
  output: shapes.Group,
  problems: given,
})
export const deleteScimGroup = contract({
  ...calls.deleteScimGroup,
  ...ours,
  ...removed,
  ...group,
  summary: 'Take a group away',
  problems: given,
})
