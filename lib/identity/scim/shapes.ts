import { z } from 'zod'

export const USER = 'urn:ietf:params:scim:schemas:core:2.0:User'
export const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group'
export const LIST = 'urn:ietf:params:scim:api:messages:2.0:ListResponse'
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'

/** As many operations as one PATCH may have, and members that one request may name. */
export const MOST = 1000
/** In bytes: a thousand members, each with a name and a reference. */
export const BODY_LIMIT = 256 * 1024
export const MOST_RESULTS = 200

const schemasWith = (schema: string) =>
  z
    .array(z.string().max(300))
    .max(20)
    .refine((all) => all.includes(schema), `must name ${schema}`)

/** Attributes are read one by one: those that are not kept are let pass, as RFC 7644 (3.3) allows. */
export const UserGiven = z.looseObject({ schemas: schemasWith(USER) })
export const GroupGiven = z.looseObject({ schemas: schemasWith(GROUP) })

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
    .max(MOST, `must have at most ${MOST} operations`),
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

export const listOf = <Shape extends z.ZodType>(shape: Shape) =>
  z.object({
    schemas: z.array(z.string()),
    totalResults: z.int(),
    startIndex: z.int(),
    itemsPerPage: z.int(),
    Resources: z.array(shape),
  })
