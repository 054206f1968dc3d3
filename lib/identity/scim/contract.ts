import { z } from 'zod'
import { contract, emptyBody } from '#lib/platform/api/contract.ts'
import { calls } from './calls.ts'
import { SCIM } from './protocol.ts'
import * as shapes from './shapes.ts'

// What is promised is RFC 7643 and RFC 7644, which `/scim/v2/Schemas` and `/ServiceProviderConfig` describe in SCIM's own way.
const description = 'SCIM 2.0 (RFC 7644), for the directory of a customer: see docs/scim.md.'
const ours = { permission: 'any', protocol: SCIM, description } as const
const Described = z.record(z.string(), z.unknown())
const described = { ...ours, output: Described }
const manyDescribed = { ...ours, output: shapes.listOf(Described) }
const oneDescribed = { ...described, params: z.object({ name: z.string().max(200) }) }
const text = z.string().max(2000).optional()
const selection = { attributes: text, excludedAttributes: text }
const whole = z
  .string()
  .regex(/^-?\d{1,9}$/, 'must be a whole number')
  .transform(Number)
  .optional()
const list = { ...ours, query: z.object({ ...selection, filter: text, startIndex: whole, count: whole }) }
const one = { ...ours, query: z.object(selection) }
const written = {
  ...ours,
  headers: z.object({ 'if-match': z.string().max(1000).optional() }),
  bodyLimit: shapes.BODY_LIMIT,
  problems: ['member_exists', 'last_admin', 'member_changed', 'permission_denied'],
} as const
const changed = { ...written, ...one, problems: [...written.problems, 'not_found'] } as const
const removed = { ...written, body: emptyBody, output: z.null() }
// Who leaves is shut out of a closed customer, too; anything else is refused there by the operation.
const leaving = {
  ...changed,
  evenIfClosed: true,
  problems: [...changed.problems, 'customer_closed'],
} as const
const user = { params: z.object({ user_id: z.string().min(1).max(100) }) }
const group = { params: z.object({ group_id: z.string().min(1).max(100) }) }
export const readScimProvider = contract({
  ...calls.readScimProvider,
  ...described,
  summary: 'What of SCIM there is',
})
export const listScimResourceTypes = contract({
  ...calls.listScimResourceTypes,
  ...manyDescribed,
  summary: 'List the types of resources',
})
export const readScimResourceType = contract({
  ...calls.readScimResourceType,
  ...oneDescribed,
  summary: 'Read a type of resources',
})
export const listScimSchemas = contract({
  ...calls.listScimSchemas,
  ...manyDescribed,
  summary: 'List the schemas',
})
export const readScimSchema = contract({
  ...calls.readScimSchema,
  ...oneDescribed,
  summary: 'Read a schema',
})

export const listScimUsers = contract({
  ...calls.listScimUsers,
  ...list,
  output: shapes.listOf(shapes.User),
  summary: 'List users',
})
export const createScimUser = contract({
  ...calls.createScimUser,
  ...changed,
  body: shapes.UserGiven,
  output: shapes.User,
  summary: 'Add a user',
})
export const readScimUser = contract({
  ...calls.readScimUser,
  ...one,
  ...user,
  output: shapes.User,
  summary: 'Read a user',
})
export const replaceScimUser = contract({
  ...calls.replaceScimUser,
  ...leaving,
  ...user,
  body: shapes.UserGiven,
  output: shapes.User,
  summary: 'Replace a user',
})
export const patchScimUser = contract({
  ...calls.patchScimUser,
  ...leaving,
  ...user,
  body: shapes.Patch,
  output: shapes.User,
  summary: 'Change a user',
})
export const deleteScimUser = contract({
  ...calls.deleteScimUser,
  ...removed,
  evenIfClosed: true,
  ...user,
  summary: 'Take a user away',
})

export const listScimGroups = contract({
  ...calls.listScimGroups,
  ...list,
  output: shapes.listOf(shapes.Group),
  summary: 'List groups',
})
export const createScimGroup = contract({
  ...calls.createScimGroup,
  ...changed,
  body: shapes.GroupGiven,
  output: shapes.Group,
  summary: 'Add a group',
})
export const readScimGroup = contract({
  ...calls.readScimGroup,
  ...one,
  ...group,
  output: shapes.Group,
  summary: 'Read a group',
})
export const replaceScimGroup = contract({
  ...calls.replaceScimGroup,
  ...changed,
  ...group,
  body: shapes.GroupGiven,
  output: shapes.Group,
  summary: 'Replace a group',
})
export const patchScimGroup = contract({
  ...calls.patchScimGroup,
  ...changed,
  ...group,
  body: shapes.Patch,
  output: shapes.Group,
  summary: 'Change a group',
})
export const deleteScimGroup = contract({
  ...calls.deleteScimGroup,
  ...removed,
  ...group,
  summary: 'Take a group away',
})
