import 'server-only'
import { hash } from 'node:crypto'
import { Readable } from 'node:stream'
import { z } from 'zod'
import type { Counted } from '#lib/platform/caller/limits/counted-caller.ts'
import { byteBudget } from '#lib/platform/runtime/concurrency.ts'
import { env } from '#lib/platform/runtime/env.ts'
import type { AnyContract, Input } from './contract.ts'
import type { ApiResponse } from './endpoint.ts'
import type { Confirm } from './operation.ts'
import { Problem, type ProblemCode } from './problem.ts'
import type { InputError } from './problem-base.ts'

/** Request without a framework, as the core handler reads it. */
export type ApiRequest = {
  method: string
  /** Path as sent, still percent-encoded. */
  path: string
  /** Query as sent, without the question mark. */
  search: string
  headers: { get(name: string): string | null }
  /** Reads the body's bytes. */
  read(limit: number, isAnonymous: boolean): Promise<Uint8Array | 'too large'>
  /** Aborted when the client has gone. */
  gone?: AbortSignal
  /** Of a call that is part of a request of another protocol: that request. */
  within?: {
    /** Caller for whom the request was counted. */
    counted: Counted
    confirm?: Confirm
    /** The change is rolled back, and counts as a read. */
    isDryRun?: boolean
  }
}

/** Largest body in bytes, unless the contract sets another limit. */
const BODY_LIMIT = 16 * 1024

const JSON_BODY = {
  type: 'application/json',
  takes: /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i,
}

/**
 * Reads every input from its declared place: path, query, headers and body; parsed, never coerced.
 * @throws Problem 400, 404 (an invalid path parameter), 413 or 415
 */
export async function readInput<C extends AnyContract>(contract: C, request: ApiRequest): Promise<Input<C>> {
  const params = contract.params.safeParse(pathParams(contract.path, request.path))
  const body = contract.method === 'GET' ? undefined : await readBody(request, contract)
  const query = contract.query.safeParse(queryParams(request.search, contract.query.shape))
  if (!query.success) throw invalidQuery(query.error)
  const headers = contract.headers.safeParse(headersOf(request, contract.headers.shape))
  if (!headers.success) throw invalid(headers.error, (path) => ({ parameter: String(path[0]) }))
  if (!params.success) throw new Problem('not_found')
  const parsed = contract.body.safeParse(body)
  if (!parsed.success)
    throw invalid(parsed.error, (path) => ({ pointer: path.map((part) => `/${pointerPart(part)}`).join('') }))
  return { params: params.data, query: query.data, body: parsed.data, headers: headers.data } as Input<C>
}

function headersOf(request: ApiRequest, shape: Record<string, unknown>): Record<string, string | undefined> {
  return Object.fromEntries(Object.keys(shape).map((name) => [name, request.headers.get(name) ?? undefined]))
}

async function readBody(
  request: ApiRequest,
  { bodyLimit: limit = BODY_LIMIT, protocol, permission }: AnyContract,
): Promise<unknown> {
  const { takes, type: usual } = protocol ?? JSON_BODY
  const type = request.headers.get('content-type')
  const declared = request.headers.get('content-length')
  const carries = request.headers.get('transfer-encoding') !== null || (declared !== null && declared !== '0')
  if (carries || type !== null) {
    if (!takes.test(type ?? ''))
      throw new Problem('unsupported_media_type', `Send the body as Content-Type: ${usual}.`)
  }
  const bytes = await request.read(limit, permission === 'none')
  if (bytes === 'too large') {
    throw new Problem('body_too_large', `The body may have at most ${limit} bytes.`)
  }
  if (bytes.length === 0) return {}
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw bad({ pointer: '', detail: 'The body is not valid JSON in UTF-8.' })
  }
}

/** Returns the query parameters that the contract names, each at most once, strictly decoded. */
function queryParams(search: string, shape: Record<string, unknown>): Record<string, string> {
  const values: Record<string, string> = {}
  for (const part of search.replaceAll('+', ' ').split('&')) {
    const cut = part.indexOf('=')
    // A name that can't be decoded is not one of our parameters.
    const name = decoded(cut < 0 ? part : part.slice(0, cut))
    if (name === undefined || !Object.hasOwn(shape, name)) continue
    if (Object.hasOwn(values, name)) throw bad({ parameter: name, detail: 'is given more than once' })
    const value = decoded(cut < 0 ? '' : part.slice(cut + 1))
    if (value === undefined) throw bad({ parameter: name, detail: 'is not valid percent-encoded UTF-8 text' })
    values[name] = value
  }
  return values
}

/**
 * Decodes percent-encoded text. Returns undefined for invalid UTF-8, and for text with a NUL, which PostgreSQL's `text`
 * can't hold.
 */
function decoded(text: string): string | undefined {
  try {
    const value = decodeURIComponent(text)
    return value.includes('\0') ? undefined : value
  } catch {
    return undefined
  }
}

function pathParams(template: string, path: string): Record<string, string> {
  const parts = path.replace(/\/$/, '').split('/')
  const params: Record<string, string> = {}
  for (const [index, part] of template.split('/').entries()) {
    if (!part.startsWith('{')) continue
    const value = decoded(parts[index] ?? '')
    if (value === undefined) throw new Problem('not_found')
    params[part.slice(1, -1)] = value
  }
  return params
}

/** Parameters with an error code of their own. */
const PARAMETER_CODES: Record<string, ProblemCode | undefined> = {
  filter: 'filter_invalid',
  pageToken: 'page_token_invalid',
}

function invalidQuery(error: z.ZodError): Problem {
  const problem = invalid(error, (path) => ({ parameter: String(path[0]) }))
  const code = error.issues.map((issue) => PARAMETER_CODES[String(issue.path[0])]).find(Boolean)
  const { errors = [] } = problem.more
  return code ? new Problem(code, problem.message, { errors }) : problem
}

function invalid(error: z.ZodError, locate: (path: PropertyKey[]) => Omit<InputError, 'detail'>): Problem {
  const errors = error.issues.flatMap((issue): InputError[] => {
    if (issue.code !== 'unrecognized_keys') return [{ ...locate(issue.path), detail: issue.message }]
    return issue.keys.map((key) => ({
      ...locate([...issue.path, key.slice(0, 100)]),
      detail: 'is not a known field',
    }))
  })
  return bad(...errors.slice(0, 20))
}

function bad(...errors: InputError[]): Problem {
  const sentences = errors.map(
    ({ pointer, parameter, detail }) => `${parameter ?? (pointer || 'body')}: ${detail}`,
  )
  return new Problem('invalid_request', sentences.join('; '), { errors })
}

// RFC 6901
function pointerPart(part: PropertyKey): string {
  return String(part).replaceAll('~', '~0').replaceAll('/', '~1')
}

// A query consists of text. Each of these schemas parses one text strictly, and declares in `json` the type of its
// value: the API's description declares numbers and booleans, and HTTP writes them as text.

/** Type of a parameter in the API's description, where its text represents another type. */
export type ParameterMeta = { json?: { type: 'integer' | 'boolean' | 'string'; [keyword: string]: unknown } }

/** Returns the schema of a whole number as text, within bounds; `clamp` clamps to `max`. */
export function integerText(min: number, max: number, clamp = false) {
  // An out-of-range page size is clamped, not refused, so the schema must let a client send it.
  const end = clamp ? {} : max < Number.MAX_SAFE_INTEGER ? { maximum: max } : { format: 'int64' }
  return z
    .codec(z.string().regex(/^\d{1,100}$/, `must be a whole number of ${min} or more`), z.int(), {
      decode: (value, context) => {
        const number = Number(value)
        if (number >= min && number <= max) return number
        if (clamp && number > max) return max
        context.issues.push({ code: 'custom', input: value, message: `must be from ${min} to ${max}` })
        return z.NEVER
      },
      encode: (number) => String(number),
    })
    .meta({ json: { type: 'integer', minimum: min, ...end } } satisfies ParameterMeta)
}

/** Returns the schema of a switch that is off by default: the text `true` or `false`. */
export function switchText(description: string) {
  const json = { type: 'boolean', default: false } as const
  return z
    .enum(['true', 'false'], { error: 'must be true or false' })
    .optional()
    .meta({ description, json } satisfies ParameterMeta & { description: string })
}

/** Returns the ETag: `"<digest>"`, or `"<version>.<digest>"` for resources with a version. */
export function entityTag(body: string | Uint8Array, version?: string): string {
  const digest = hash('sha256', body, 'base64url').slice(0, 22)
  return version === undefined ? `"${digest}"` : `"${version}.${digest}"`
}

const tags = new WeakMap<Uint8Array, string>()

/** Returns the ETag of bytes that are sent many times, such as the API's description, and computes it once. */
export function tagOnce(body: Uint8Array, version?: string): string {
  const tag = tags.get(body) ?? entityTag(body, version)
  tags.set(body, tag)
  return tag
}

/** Returns a body with its ETag, or a 304 without body if a read's If-None-Match contains the ETag. */
export function conditional(
  { method, headers: requestHeaders }: Pick<ApiRequest, 'method' | 'headers'>,
  body: string | Uint8Array,
  headers: Record<string, string>,
  version: string | undefined,
): ApiResponse {
  const etag = entityTag(body, version)
  const responseHeaders = { ...headers, ETag: etag }
  return matchesEtag({ method, headers: requestHeaders }, etag)
    ? { status: 304, headers: responseHeaders, body: null }
    : { status: 200, headers: responseHeaders, body }
}

/** Returns whether a call answers page by page: it takes a page token, and its answers may lead to other pages. */
export function isPaged({ query }: Pick<AnyContract, 'query'>): boolean {
  return 'pageToken' in query.shape
}

/**
 * Returns the header `Link` of a page of a list (RFC 8288), or nothing where the page leads to no other: the request's
 * own address, with the page token of the body.
 */
export function pageLinks(
  { path, search }: Pick<ApiRequest, 'path' | 'search'>,
  body: unknown,
): { Link?: string } {
  const { pageToken, previousPageToken } = body as { pageToken?: string; previousPageToken?: string }
  const query = new URLSearchParams(search)
  const linkTo = (token: string, rel: 'next' | 'prev') => {
    query.set('pageToken', token)
    return `<${env().baseUrl}${path}?${query}>; rel="${rel}"`
  }
  const links = [
    ...(pageToken === undefined ? [] : [linkTo(pageToken, 'next')]),
    ...(previousPageToken === undefined ? [] : [linkTo(previousPageToken, 'prev')]),
  ]
  return links.length === 0 ? {} : { Link: links.join(', ') }
}

/** Returns whether a read's If-None-Match matches the ETag of the answer. */
export function matchesEtag(
  { method, headers }: Pick<ApiRequest, 'method' | 'headers'>,
  etag: string | undefined,
): boolean {
  const isRead = method === 'GET' || method === 'HEAD'
  const tags = headers.get('if-none-match')?.split(',') ?? []
  return isRead && etag !== undefined && tags.some((tag) => names(tag, etag))
}

/**
 * Text of one line, without control characters and line separators. It has no Unicode property escapes: many readers of
 * JSON Schema compile patterns without the flag that these need.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that it refuses
export const ONE_LINE = /^[^\u0000-\u001f\u007f-\u009f\u2028\u2029]*$/

/** Header If-Match: `*`, or ETags. */
export const ifMatch = z
  .string()
  .max(1000)
  .regex(/^\s*(\*|(W\/)?"[^"]*"(\s*,\s*(W\/)?"[^"]*")*)\s*$/, 'must be * or ETags in quotes')

/** Returns whether If-Match admits a resource of this version: compares versions and ignores digests. */
export function isVersion(version: string | number, header: string | undefined): boolean {
  if (header === undefined || header.trim() === '*') return true
  return header.split(',').some((tag) => tag.trim().startsWith(`"${version}.`))
}

/** Compares ETags weakly (RFC 9110, 13.1.2): a proxy that compresses an answer makes its ETag a weak one. */
function names(tag: string, etag: string): boolean {
  return ['*', etag.replace(/^W\//, '')].includes(tag.trim().replace(/^W\//, ''))
}

/** Bytes of bodies that are being received, which slow senders make a process hold. */
const bodies = byteBudget({ all: 32 * 1024 * 1024, anonymous: 4 * 1024 * 1024 })

/**
 * Reads a request's body, up to the limit.
 * @throws Problem `invalid_request` if it broke off; `service_unavailable` where all bodies that are being received take
 * too much memory, of unknown clients first
 */
export async function readBytes(
  body: AsyncIterable<Uint8Array> | ReadableStream<Uint8Array> | null,
  limit: number,
  isAnonymous = false,
): Promise<Uint8Array | 'too large'> {
  const chunks: Uint8Array[] = []
  const client = isAnonymous ? undefined : 'callers'
  let [size, reserved] = [0, 0]
  // The rest of a request stays readable: the server discards it after the response.
  const source = body instanceof Readable ? body.iterator({ destroyOnReturn: false }) : (body ?? [])
  try {
    for await (const chunk of source as AsyncIterable<Uint8Array>) {
      size += chunk.length
      if (size > limit) return 'too large'
      bodies.reserve(chunk.length, client)
      reserved += chunk.length
      chunks.push(chunk)
    }
  } catch (error) {
    if (error instanceof Problem) throw error
    throw new Problem('invalid_request', 'The body ended before its end.')
  } finally {
    bodies.release(reserved, client)
  }
  return Buffer.concat(chunks)
}
