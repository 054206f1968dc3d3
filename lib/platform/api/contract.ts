import { z } from 'zod'
import type { Kind } from '#lib/platform/caller/limits/budget.ts'
import type { Permission } from '#lib/platform/caller/rules.ts'
import type { Example } from './openapi/example.ts'
import type { HeaderName } from './openapi/responses.ts'
import type { ProblemCode } from './problem.ts'
import type { Protocol } from './protocol.ts'
import { integerText } from './request.ts'

export type Method = 'DELETE' | 'GET' | 'PATCH' | 'POST' | 'PUT'

/**
 * What is promised of one call. From this value come the route handler, the browser call, the query
 * key, the OpenAPI operation and the permission check.
 */
export type Contract<
  Params extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodType = z.ZodType,
  Output extends z.ZodType = z.ZodType,
  Headers extends z.ZodObject = z.ZodObject,
> = {
  name: string
  /** One line without a full stop. */
  summary: string
  /** Whole sentences: what the call is for, and what a reader would not guess. */
  description: string
  method: Method
  /** What it counts as; where it is not given, what is streamed is an export. */
  limit: Kind
  /** With `{name}` for each of `params`. */
  path: string
  /** Whether it changes something that may be changed though the customer is closed. */
  evenIfClosed: boolean
  /** `any`: every caller. `none`: no caller is needed. */
  permission: Permission | 'any' | 'none'
  params: Params
  /** Each field reads one text value. Parameters that it does not name are ignored. */
  query: Query
  /** Each field reads one header, under its name in lower case. */
  headers: Headers
  /** Absent where `method` carries none. */
  body: Body
  /** The most bytes that it may have, where that is not the usual number. */
  bodyLimit?: number
  /** Absent: JSON and problems, for keys and sessions. */
  protocol?: Protocol
  /** What is not declared here never leaves. */
  output: Output
  /** Headers that its answers have at times, beside those that follow from its kind. */
  responseHeaders: readonly HeaderName[]
  /** All that it may answer; another one does not leave. */
  problems: readonly ProblemCode[]
  examples: readonly Example[]
}

// biome-ignore lint/suspicious/noExplicitAny: the one place where a contract's schemas don't matter
export type AnyContract = Contract<any, any, any, any, any>

/** What an operation gets: decoded by the contract's schemas. */
export type Input<C extends AnyContract> = {
  params: z.output<C['params']>
  query: z.output<C['query']>
  body: z.output<C['body']>
  headers?: z.output<C['headers']>
}
export type Output<C extends AnyContract> = z.output<C['output']>

export const nothing = z.object({})
export const noBody = z.undefined()
/** The body of a call that carries none by a method which could: left out, or an object without fields. */
export const emptyBody = z.strictObject({})

type Needed = 'name' | 'summary' | 'description' | 'method' | 'path' | 'permission' | 'output'
type Parts = Exclude<keyof Contract, Needed>

/**
 * Names a contract. Its parts that carry nothing may be left out. `problems` are those that the operation itself
 * finds: what the way to it may answer is added here.
 */
export function contract<
  Output extends z.ZodType,
  Params extends z.ZodObject = typeof nothing,
  Query extends z.ZodObject = typeof nothing,
  Body extends z.ZodType = typeof noBody,
  Headers extends z.ZodObject = typeof nothing,
>(
  definition: Omit<Contract<Params, Query, Body, Output, Headers>, Parts> &
    Partial<Pick<Contract<Params, Query, Body, Output, Headers>, Parts>>,
): Contract<Params, Query, Body, Output, Headers> {
  const empty = { params: nothing, query: nothing, body: noBody, headers: nothing, responseHeaders: [] }
  const limit: Kind = definition.output.meta()?.streamed ? 'exports' : 'requests'
  const whole = { limit, evenIfClosed: false, ...empty, examples: [], problems: [], ...definition }
  const problems = [...new Set([...routingProblems(whole), ...whole.problems])]
  return { ...whole, problems } as unknown as Contract<Params, Query, Body, Output, Headers>
}

type RoutingParts = 'permission' | 'method' | 'params' | 'query' | 'evenIfClosed'

/** What a call may answer before its operation runs, or because it can't. */
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

export const DEFAULT_MAX_RESULTS = 50

/** The parameters of each list (CONTRACT 2). */
export const paging = {
  maxResults: integerText(1, 250, true)
    .optional()
    .meta({
      description: 'Rows per page: 1 to 250. More is read as 250.',
      json: { type: 'integer', minimum: 1, default: DEFAULT_MAX_RESULTS },
    }),
  pageToken: z
    .string()
    .min(1, 'is empty')
    // An id in it may have 300 characters of four bytes.
    .max(2000, 'is too long')
    .optional()
    .meta({
      description: 'The `pageToken` or `previousPageToken` of an answer to the same filters and order.',
    }),
}

/** What each list answers beside its rows. */
export const pagingOutput = {
  rowCount: z.int().min(0).meta({ description: 'Number of rows in this page.' }),
  pageToken: z.string().optional().meta({ description: 'Leads to the next page. Absent on the last.' }),
  previousPageToken: z.string().optional().meta({ description: 'Leads back. Absent on the first page.' }),
}
