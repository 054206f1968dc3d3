import { z } from 'zod'
import { routesOf } from '#lib/platform/api/call.ts'
import { contract, emptyBody } from '#lib/platform/api/contract.ts'
import { SCIM } from './protocol.ts'

const calls = routesOf({
  readScimProvider: 'GET /scim/v2/ServiceProviderConfig',
  listScimResourceTypes: 'GET /scim/v2/ResourceTypes',
  readScimResourceType: 'GET /scim/v2/ResourceTypes/{name}',
  listScimSchemas: 'GET /scim/v2/Schemas',
  readScimSchema: 'GET /scim/v2/Schemas/{name}',
  listScimUsers: 'GET /scim/v2/Users',
  createScimUser: 'POST /scim/v2/Users',
  readScimUser: 'GET /scim/v2/Users/{user_id}',
  replaceScimUser: 'PUT /scim/v2/Users/{user_id}',
  patchScimUser: 'PATCH /scim/v2/Users/{user_id}',
  deleteScimUser: 'DELETE /scim/v2/Users/{user_id}',
  listScimGroups: 'GET /scim/v2/Groups',
  createScimGroup: 'POST /scim/v2/Groups',
  readScimGroup: 'GET /scim/v2/Groups/{group_id}',
  replaceScimGroup: 'PUT /scim/v2/Groups/{group_id}',
  patchScimGroup: 'PATCH /scim/v2/Groups/{group_id}',
  deleteScimGroup: 'DELETE /scim/v2/Groups/{group_id}',
})

export const USER = 'urn:ietf:params:scim:schemas:core:2.0:User'
export const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group'
export const LIST = 'urn:ietf:params:scim:api:messages:2.0:ListResponse'
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'

/** Most operations of one PATCH, and most members named in one request. */
export const MAX_OPERATIONS = 1000
/** In bytes: enough for a thousand members, each with a name and a reference. */
const BODY_LIMIT = 256 * 1024
export const MAX_RESULTS = 200

const schemasWith = (schema: string) =>
  z
    .array(z.string().max(300))
    .max(20)
    .refine((all) => all.includes(schema), `must name ${schema}`)

/** User of a request. Attributes are read one by one: unsupported ones are ignored, as RFC 7644 (3.3) allows. */
const UserInput = z.looseObject({ schemas: schemasWith(USER) })
const GroupInput = z.looseObject({ schemas: schemasWith(GROUP) })

export const Patch = z.object({
  schemas: schemasWith(PATCH),
  Operations: z
    .array(
      z.object({
        op: z.string().max(20),
        path: z.string().max(1000).optional(),
        value: z.unknown().optional(),
      }),
    )
    .min(1)
    .max(MAX_OPERATIONS, `must have at most ${MAX_OPERATIONS} operations`),
})

const Meta = z.object({
  resourceType: z.string(),
  created: z.string().optional(),
  location: z.string(),
  version: z.string().optional(),
})

const Reference = z.object({
  value: z.string(),
  display: z.string(),
  $ref: z.string(),
  type: z.string(),
})

export const User = z.object({
  schemas: z.array(z.string()),
  id: z.string(),
  externalId: z.string().optional(),
  userName: z.string().optional(),
  displayName: z.string().optional(),
  name: z
    .object({ formatted: z.string(), givenName: z.string().optional(), familyName: z.string().optional() })
    .optional(),
  emails: z.array(z.object({ value: z.string(), type: z.string(), primary: z.boolean() })).optional(),
  active: z.boolean().optional(),
  groups: z.array(Reference).optional(),
  meta: Meta.optional(),
})

export const Group = z.object({
  schemas: z.array(z.string()),
  id: z.string(),
  externalId: z.string().optional(),
  displayName: z.string().optional(),
  members: z.array(Reference).optional(),
  meta: Meta.optional(),
})

const listOf = <Shape extends z.ZodType>(shape: Shape) =>
  z.object({
    schemas: z.array(z.string()),
    totalResults: z.int(),
    startIndex: z.int(),
    itemsPerPage: z.int(),
    Resources: z.array(shape),
  })

// RFC 7643 and RFC 7644 define these operations; `/scim/v2/Schemas` and `/ServiceProviderConfig` describe them in
// SCIM's own way.
const description = 'SCIM 2.0 (RFC 7644), for the directory of a customer: see docs/use/directories.md.'
const ours = { permission: 'any', protocol: SCIM, description } as const
const Described = z.record(z.string(), z.unknown())
const described = { ...ours, output: Described }
const manyDescribed = { ...ours, output: listOf(Described) }
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
  bodyLimit: BODY_LIMIT,
  problems: ['member_exists', 'last_admin', 'member_changed', 'permission_denied'],
} as const
const changed = { ...written, ...one, problems: [...written.problems, 'not_found'] } as const
const removed = { ...written, body: emptyBody, output: z.null() }
// A leaver is disabled at a closed customer as well; the operation rejects other changes there.
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
  output: listOf(User),
  summary: 'List users',
})
export const createScimUser = contract({
  ...calls.createScimUser,
  ...changed,
  body: UserInput,
  output: User,
  summary: 'Add a user',
})
export const readScimUser = contract({
  ...calls.readScimUser,
  ...one,
  ...user,
  output: User,
  summary: 'Read a user',
})
export const replaceScimUser = contract({
  ...calls.replaceScimUser,
  ...leaving,
  ...user,
  body: UserInput,
  output: User,
  summary: 'Replace a user',
})
export const patchScimUser = contract({
  ...calls.patchScimUser,
  ...leaving,
  ...user,
  body: Patch,
  output: User,
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
  output: listOf(Group),
  summary: 'List groups',
})
export const createScimGroup = contract({
  ...calls.createScimGroup,
  ...changed,
  body: GroupInput,
  output: Group,
  summary: 'Add a group',
})
export const readScimGroup = contract({
  ...calls.readScimGroup,
  ...one,
  ...group,
  output: Group,
  summary: 'Read a group',
})
export const replaceScimGroup = contract({
  ...calls.replaceScimGroup,
  ...changed,
  ...group,
  body: GroupInput,
  output: Group,
  summary: 'Replace a group',
})
export const patchScimGroup = contract({
  ...calls.patchScimGroup,
  ...changed,
  ...group,
  body: Patch,
  output: Group,
  summary: 'Change a group',
})
export const deleteScimGroup = contract({
  ...calls.deleteScimGroup,
  ...removed,
  ...group,
  summary: 'Take a group away',
})
