import { z } from 'zod'
import type { Kind } from '#lib/platform/caller/limits/budget.ts'
import type { Caller, Permission } from '#lib/platform/caller/rules.ts'
import type { Example } from './openapi/example.ts'
import type { HeaderName } from './openapi/responses.ts'
import type { ProblemCode } from './problem.ts'
import type { Protocol } from './protocol.ts'

export type Method = 'DELETE' | 'GET' | 'PATCH' | 'POST' | 'PUT'

/**
 * What a cached answer may depend on in addition to the customer's rows and the request: the UTC day, the caller's roles
 * (and with them, whether prices are visible), the billing profiles that the caller sees, the signed-in member.
 */
export type CachePart = 'day' | 'roles' | 'billingProfiles' | 'member'

/** Parts of a caller that the operation of a cached call receives: only those that are in the cache's key. */
export type CachedCaller<Part extends CachePart> = Pick<
  Caller,
  | 'customerId'
  | ('roles' extends Part ? 'roles' : never)
  | ('billingProfiles' extends Part ? 'billingProfiles' : never)
  | ('member' extends Part ? 'via' | 'id' : never)
>

/**
 * Contract of one call. The route handler, the browser call, the query key, the OpenAPI operation and the permission
 * check are derived from it.
 */
export type Contract<
  Params extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodType = z.ZodType,
  Output extends z.ZodType = z.ZodType,
  Headers extends z.ZodObject = z.ZodObject,
> = {
  name: string
  /** Single line without a full stop. */
  summary: string
  /** Whole sentences: the purpose of the call, and facts that a reader would not guess. */
  description: string
  method: Method
  /** Quota that the call counts against; by default `export` for a streamed answer. */
  limit: Kind
  /**
   * Path with `{name}` for each of `params`: in the API `/billing/v1/…` below `BASE_URL`, where `v1` is the version.
   * Sign-in, SCIM and calendars have other roots.
   */
  path: string
  /** Whether the call makes a change that is allowed although the customer is closed. */
  evenIfClosed: boolean
  /** `any`: every caller. `none`: no caller is needed. */
  permission: Permission | 'any' | 'none'
  params: Params
  /** Schema of the query, with one text value per field. Unknown parameters are ignored. */
  query: Query
  /** Schema of the headers, by name in lower case. */
  headers: Headers
  /** Undefined if `method` has no body. */
  body: Body
  /** Largest body in bytes, where it differs from the default. */
  bodyLimit?: number
  /**
   * Parts that the answer depends on in addition to the customer's rows and the request: it may then be cached.
   * Undefined: it must not be cached.
   */
  cachedBy?: readonly CachePart[] | undefined
  /**
   * Whether the answer shows rows that `licenseScope` writes; true by default. False: it stays cached while only licenses
   * change.
   */
  showsLicenses: boolean
  /** By default JSON and problems, for keys and sessions. */
  protocol?: Protocol
  /** Schema of the answer's body; undeclared members are removed. */
  output: Output
  /** Headers that answers carry only sometimes, in addition to those that follow from the answer's kind. */
  responseHeaders: readonly HeaderName[]
  /** Codes that the call may answer; any other becomes a 500. */
  problems: readonly ProblemCode[]
  examples: readonly Example[]
}

// biome-ignore lint/suspicious/noExplicitAny: the one place where a contract's schemas don't matter
export type AnyContract = Contract<any, any, any, any, any>

/** Input of an operation, decoded by the contract's schemas. */
export type Input<C extends AnyContract> = {
  params: z.output<C['params']>
  query: z.output<C['query']>
  body: z.output<C['body']>
  headers?: z.output<C['headers']>
}
export type Output<C extends AnyContract> = z.output<C['output']>

export const nothing = z.object({})
export const noBody = z.undefined()
/** Body of a call without input by a method that allows one: absent, or an object without fields. */
export const emptyBody = z.strictObject({})

type Needed = 'name' | 'summary' | 'description' | 'method' | 'path' | 'permission' | 'output'
type Parts = Exclude<keyof Contract, Needed>

/**
 * Names a contract. Empty parts may be omitted. `problems` lists the codes that the operation itself throws; the codes
 * of routing, authentication and limits are added here.
 */
export function contract<
  Output extends z.ZodType,
  Params extends z.ZodObject = typeof nothing,
  Query extends z.ZodObject = typeof nothing,
  Body extends z.ZodType = typeof noBody,
  Headers extends z.ZodObject = typeof nothing,
  const Cached extends readonly CachePart[] | undefined = undefined,
>(
  definition: Omit<Contract<Params, Query, Body, Output, Headers>, Parts> &
    Partial<Pick<Contract<Params, Query, Body, Output, Headers>, Parts>> & { cachedBy?: Cached },
): Contract<Params, Query, Body, Output, Headers> & { cachedBy: Cached } {
  const empty = { params: nothing, query: nothing, body: noBody, headers: nothing, responseHeaders: [] }
  const limit: Kind = definition.output.meta()?.streamed ? 'exports' : 'requests'
  const whole = {
    limit,
    evenIfClosed: false,
    showsLicenses: true,
    ...empty,
    examples: [],
    problems: [],
    ...definition,
  }
  const problems = [...new Set([...routingProblems(whole), ...whole.problems])]
  return { ...whole, problems } as unknown as Contract<Params, Query, Body, Output, Headers> & {
    cachedBy: Cached
  }
}

type RoutingParts = 'permission' | 'method' | 'params' | 'query' | 'evenIfClosed'

/** Returns the codes that a call may answer before its operation runs, or because the operation can't run. */
function routingProblems(definition: Pick<AnyContract, RoutingParts>): ProblemCode[] {
  const { permission, method, params, query, evenIfClosed } = definition
  const when = (holds: boolean, ...codes: ProblemCode[]) => (holds ? codes : [])
  return [
    'invalid_request',
    ...when('filter' in query.shape, 'filter_invalid'),
    ...when('pageToken' in query.shape, 'page_token_invalid'),
    ...when(permission !== 'none', 'unauthenticated'),
    ...when(permission !== 'none' && permission !== 'any', 'permission_denied'),
    ...when(method !== 'GET', 'cross_origin'),
    ...when(method !== 'GET' && !evenIfClosed, 'customer_closed'),
    ...when(permission !== 'none', 'rate_limited'),
    ...when(Object.keys(params.shape).length > 0, 'not_found'),
    'method_not_allowed',
    'request_timeout',
    ...when(method !== 'GET', 'body_too_large', 'unsupported_media_type'),
    'headers_too_large',
    'internal_error',
    'service_unavailable',
  ]
}
