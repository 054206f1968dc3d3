import { GROUP, MAX_RESULTS, USER } from './contract.ts'
import { addressOf } from './serialize.ts'

const CORE = 'urn:ietf:params:scim:schemas:core:2.0'

/** Returns the ServiceProviderConfig with the supported features (RFC 7643, 5). */
export function provider() {
  return {
    schemas: [`${CORE}:ServiceProviderConfig`],
    patch: { supported: true },
    bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: MAX_RESULTS },
    changePassword: { supported: false },
    sort: { supported: false },
    etag: { supported: true },
    authenticationSchemes: [
      {
        type: 'oauthbearertoken',
        name: 'Token',
        description: 'A token of the customer, as a bearer token.',
        primary: true,
      },
    ],
    meta: {
      resourceType: 'ServiceProviderConfig',
      location: addressOf('ServiceProviderConfig', '').slice(0, -1),
    },
  }
}

const typeOf = (id: string, schema: string, description: string) => ({
  schemas: [`${CORE}:ResourceType`],
  id,
  name: id,
  endpoint: `/${id}s`,
  description,
  schema,
  schemaExtensions: [],
  meta: { resourceType: 'ResourceType', location: addressOf('ResourceTypes', id) },
})

export function resourceTypes() {
  return [
    typeOf('User', USER, 'Who may sign in for the customer.'),
    typeOf('Group', GROUP, 'What its members may do and see, once it is mapped.'),
  ]
}

type More = { required?: boolean; mutability?: string; returned?: string; uniqueness?: string; type?: string }

const attribute = (name: string, description: string, more: More = {}) => ({
  name,
  type: 'string',
  multiValued: false,
  description,
  required: false,
  caseExact: false,
  mutability: 'readWrite',
  returned: 'default',
  uniqueness: 'none',
  ...more,
})
const complex = (
  name: string,
  description: string,
  { parts, isMany, ...more }: { parts: object[]; isMany: boolean } & More,
) => {
  const { caseExact: _, ...rest } = attribute(name, description, { type: 'complex', ...more })
  return { ...rest, multiValued: isMany, subAttributes: parts }
}

const readOnly = { mutability: 'readOnly' }
const references = (resource: string) => [
  attribute('value', `The id of the ${resource}.`, { mutability: 'immutable' }),
  attribute('display', `The name of the ${resource}.`, readOnly),
  attribute('$ref', `The address of the ${resource}.`, { ...readOnly, type: 'reference' }),
  attribute('type', 'What it is.', readOnly),
]

const USER_ATTRIBUTES = [
  attribute('userName', 'The email address that they sign in with.', {
    required: true,
    mutability: 'immutable',
    uniqueness: 'server',
  }),
  attribute('displayName', 'The name that the console shows.'),
  complex('name', 'Its parts.', {
    parts: [
      attribute('formatted', 'The whole name.'),
      attribute('givenName', 'The given name.'),
      attribute('familyName', 'The family name.'),
    ],
    isMany: false,
  }),
  complex('emails', 'The address of userName.', {
    parts: [
      attribute('value', 'The address.', readOnly),
      attribute('type', 'Always work.', readOnly),
      attribute('primary', 'Always true.', { ...readOnly, type: 'boolean' }),
    ],
    isMany: true,
    ...readOnly,
  }),
  attribute('active', 'Whether they may sign in, and their keys work.', { type: 'boolean' }),
  complex('groups', 'The groups that they are in.', {
    parts: references('group'),
    isMany: true,
    ...readOnly,
  }),
]

const GROUP_ATTRIBUTES = [
  attribute('displayName', 'The name of the group.', { required: true, uniqueness: 'server' }),
  complex('members', 'Who is in it.', { parts: references('user'), isMany: true }),
]

export function schemas() {
  const schemaOf = (id: string, name: string, description: string, attributes: object[]) => ({
    schemas: [`${CORE}:Schema`],
    id,
    name,
    description,
    attributes,
    meta: { resourceType: 'Schema', location: addressOf('Schemas', id) },
  })
  return [
    schemaOf(USER, 'User', 'Who may sign in for the customer.', USER_ATTRIBUTES),
    schemaOf(GROUP, 'Group', 'What its members may do and see, once it is mapped.', GROUP_ATTRIBUTES),
  ]
}
