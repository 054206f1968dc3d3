import { randomUUID } from 'node:crypto'
import { route } from '#lib/platform/api/endpoint.ts'
import { newScimToken } from '#lib/platform/caller/credentials.ts'
import type { Role } from '#lib/platform/caller/rules.ts'
import { newCustomerId } from '#lib/platform/caller/store.ts'
import { scope } from '#lib/platform/db/scope.ts'
import * as operations from './operations.ts'
import { addToken } from './tokens.ts'

type Handlers = ReturnType<typeof route>

const MOUNTED: [RegExp, Handlers][] = [
  [/^\/ServiceProviderConfig$/, route(operations.readScimProvider)],
  [/^\/ResourceTypes$/, route(operations.listScimResourceTypes)],
  [/^\/ResourceTypes\/[^/]+$/, route(operations.readScimResourceType)],
  [/^\/Schemas$/, route(operations.listScimSchemas)],
  [/^\/Schemas\/[^/]+$/, route(operations.readScimSchema)],
  [/^\/Users$/, route(operations.listScimUsers, operations.createScimUser)],
  [
    /^\/Users\/[^/]+$/,
    route(
      operations.readScimUser,
      operations.replaceScimUser,
      operations.patchScimUser,
      operations.deleteScimUser,
    ),
  ],
  [/^\/Groups$/, route(operations.listScimGroups, operations.createScimGroup)],
  [
    /^\/Groups\/[^/]+$/,
    route(
      operations.readScimGroup,
      operations.replaceScimGroup,
      operations.patchScimGroup,
      operations.deleteScimGroup,
    ),
  ],
]

/** All paths and methods of SCIM, for tests of common behavior. */
export const ALL = [
  ['GET', '/ServiceProviderConfig'],
  ['GET', '/ResourceTypes'],
  ['GET', '/ResourceTypes/User'],
  ['GET', '/Schemas'],
  ['GET', '/Schemas/x'],
  ['GET', '/Users'],
  ['POST', '/Users'],
  ['GET', '/Users/x'],
  ['PUT', '/Users/x'],
  ['PATCH', '/Users/x'],
  ['DELETE', '/Users/x'],
  ['GET', '/Groups'],
  ['POST', '/Groups'],
  ['GET', '/Groups/x'],
  ['PUT', '/Groups/x'],
  ['PATCH', '/Groups/x'],
  ['DELETE', '/Groups/x'],
] as const
type Method = (typeof ALL)[number][0]

/** Issues a token for a customer. @returns its text, which is not stored */
export async function tokenOf(
  customerId: string,
  roles: Role[] = ['it-manager', 'finance-user'],
  days: number | null = null,
): Promise<string> {
  const secret = newScimToken()
  const id = newCustomerId(customerId)
  await scope({ customerId: id }, (tx) =>
    addToken(tx, id, secret, { name: `Directory ${randomUUID().slice(0, 4)}`, roles, days }),
  )
  return secret
}

/**
 * Calls SCIM.
 * @param rest path after `/scim/v2`
 * @param body a string is sent unchanged
 */
export async function callApi(
  token: string,
  method: Method,
  rest: string,
  { body, headers = {} }: { body?: unknown; headers?: Record<string, string> | undefined } = {},
) {
  const url = new URL(`http://console.example/scim/v2${rest}`)
  const mounted = MOUNTED.find(([path]) => path.test(url.pathname.slice('/scim/v2'.length)))
  if (!mounted) throw new Error(`Nothing is mounted at ${rest}.`)
  const sent = typeof body === 'string' ? body : JSON.stringify(body)
  const response = await mounted[1][method](
    new Request(url, {
      method,
      headers: {
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        ...(body === undefined ? {} : { 'content-type': 'application/scim+json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: sent }),
    }),
  )
  const text = await response.text()
  return { status: response.status, headers: response.headers, json: text ? JSON.parse(text) : undefined }
}

export const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User'
export const GROUP_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Group'

/** Returns the body of a PATCH. */
export const patch = (...Operations: unknown[]) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
  Operations,
})
