import 'server-only'
import { randomUUID } from 'node:crypto'
import { authenticate } from '#lib/platform/caller/authenticate.ts'
import type { Kind } from '#lib/platform/caller/limits/budget.ts'
import { countedCaller, countedPart } from '#lib/platform/caller/limits/counted-caller.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { checkSameOrigin } from '#lib/platform/caller/same-origin.ts'
import { inPieces, type Outgoing, startSending } from '#lib/platform/files/stream.ts'
import { auditDenial, auditExport } from '#lib/platform/history/requests.ts'
import { acquireReadSlot, checkUnread } from '#lib/platform/runtime/concurrency.ts'
import {
  log,
  logFailure,
  measured,
  requestContext,
  requestLogFields,
  secondsSince,
} from '#lib/platform/runtime/log.ts'
import { type CachedAnswer, type CacheKey, cacheKey, readAnswer, storeAnswer } from './answer-cache.ts'
import type { AnyContract } from './contract.ts'
import { toProblem } from './error-mapper.ts'
import { type AnyOperation, checkOpen, checkPermission, isOutgoing, isPieces } from './operation.ts'
import { PROBLEMS, Problem } from './problem.ts'
import { type ErrorFormat, PROBLEMS_AS_JSON, type Protocol, written } from './protocol.ts'
import {
  type ApiRequest,
  conditional,
  entityTag,
  isPaged,
  matchesEtag,
  pageLinks,
  readBytes,
  readInput,
  tagOnce,
} from './request.ts'

/** Handler of the requests to one path; it never throws. */
export type Respond = (request: ApiRequest) => Promise<ApiResponse>

type Handler = (request: Request) => Promise<Response>
type Handlers = Record<(typeof METHODS)[number], Handler>

/** Returns the route handlers of one path: its operations, and a 405 for every other method. */
export function route(...operations: AnyOperation[]): Handlers {
  return handlers(operations[0]?.contract.path, (request) => answer(operations, request))
}

/**
 * Returns the handlers that answer 404 for unknown paths under the API, as JSON, or in the format of the protocol below
 * whose root the path is.
 */
export function unknownPath(protocol?: Protocol): Handlers {
  return handlers(protocol?.root, (request) =>
    guarded(request, 'unknown', () => Promise.reject(new Problem('not_found')), protocol?.errorFormat),
  )
}

/** Returns the handlers of a path whose code is loaded with the first request. */
export function lazyPath(path: string, load: () => Promise<Respond>): Handlers {
  return handlers(path, async (request) => (await load())(request))
}

const mounted = new WeakMap<Handler, Mounted>()

/** Handler and path that a route file mounts. */
export type Mounted = {
  /**
   * Path of its contract, as in `/billing/v1/assets/{asset_id}`. Undefined for the fallback, which answers every path
   * without a route; `/scim/…` for the fallback below that prefix.
   */
  path: string | undefined
  respond: Respond
}

/**
 * Returns the path and core handler of a route handler, for a server that needs no `Request` and `Response` in between.
 * @param handler a handler returned by `route` or `unknownPath`
 */
export function mountedBy(handler: Handler): Mounted | undefined {
  return mounted.get(handler)
}

function handlers(path: string | undefined, respond: Respond): Handlers {
  const handle = async (request: Request) => {
    const { pathname, search } = new URL(request.url)
    const { status, headers, body } = await respond({
      method: request.method,
      path: pathname,
      search: search.slice(1),
      headers: request.headers,
      read: (limit, isAnonymous) => readBytes(request.body, limit, isAnonymous),
      gone: request.signal,
    })
    const sent = isOutgoing(body) ? streamOf(body) : body
    return new Response(sent as BodyInit | null, { status, headers })
  }
  mounted.set(handle, { path, respond })
  return Object.fromEntries(METHODS.map((method) => [method, handle])) as Handlers
}

/**
 * Streams a body with backpressure: pulls the next chunk only when the previous one has left. An error makes the server
 * cut the connection.
 */
function streamOf(body: Outgoing): ReadableStream<Uint8Array> {
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await body.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: () => body.return(),
    },
    { highWaterMark: 0 },
  )
}

/**
 * Answers one request to the path of these operations. Never throws. The order of the checks is the contract's: 401, 429,
 * 405, 403 (which names the missing permission), 415, 413, 400, then the operation's own.
 */
export function answer(operations: AnyOperation[], request: ApiRequest): Promise<ApiResponse> {
  const { path: route = 'unknown', protocol } = (operations[0]?.contract ?? {}) as Partial<AnyContract>
  const performed = (requestId: string, always: (fields: Record<string, string>) => void) =>
    perform(operations, request, requestId, always)
  return guarded(request, route, performed, protocol?.errorFormat)
}

async function perform(
  operations: AnyOperation[],
  request: ApiRequest,
  requestId: string,
  always: (fields: Record<string, string>) => void,
): Promise<ApiResponse> {
  const isPublic = operations.every(({ contract }) => contract.permission === 'none')
  const kind = () => kindOf(operations, request)
  const surface = operations[0]?.contract.protocol?.surface
  const counted = () =>
    request.within
      ? countedPart(request.within.counted, kind())
      : countedCaller(request.headers, kind, surface)
  const { caller, fields } = (isPublic ? undefined : await counted()) ?? {}
  if (!isPublic) checkPermission(caller, 'any')
  if (fields) always(fields)
  const operation = operationFor(operations, request.method)
  const { contract } = operation
  const admitted = async () => {
    checkPermission(caller, contract.permission)
    checkUnread(request.method, caller?.customerId)
    if (contract.method !== 'GET' && caller?.via === 'session') checkSameOrigin(request.headers)
    checkOpen(caller, contract)
    // Not the path alone: a trailing slash, or parameters in another order, are other questions with equal answers.
    const question = `${request.path}?${request.search}`
    const cacheId = contract.cachedBy && cacheKey(contract, caller, question)
    const cached = cacheId && readAnswer(cacheId)
    if (cached) return asRead(request, caller as Caller, cached)
    const end = caller && (await acquireReadSlot(contract, caller.customerId))
    return replied(operation, { caller: caller as Caller, cacheId }, request, requestId)
      .catch((error) => promised(contract, error))
      .finally(end)
  }
  return admitted().catch((error) =>
    denied(error, caller, { call: contract.name, path: request.path }, requestId),
  )
}

/** Returns the quota that a request counts against. A dry run changes nothing. */
function kindOf(operations: AnyOperation[], { method, search, within }: ApiRequest): Kind {
  const limit = operationOf(operations, method)?.contract.limit ?? 'requests'
  const isDryRun = within?.isDryRun || /(^|&)dryRun=true(&|$)/.test(search)
  return limit === 'changes' && isDryRun ? 'requests' : limit
}

/** Records in the audit events of the caller's customer that a request was refused, before an operation or by it. */
async function denied(
  error: unknown,
  caller: Caller | undefined,
  called: { call: string; path: string },
  requestId: string,
): Promise<never> {
  if (caller && error instanceof Problem && PROBLEMS[error.code].status === 403) {
    const { code, more } = error
    await auditDenial(caller, { ...called, code, permission: more.members?.permission }, requestId)
  }
  throw error
}

/** Time in milliseconds after which a slow body requires authenticating the caller again. */
const SLOW_MS = 1000

async function authenticateAgain({ contract }: AnyOperation, { headers }: ApiRequest): Promise<Caller> {
  const caller =
    contract.permission === 'none' ? undefined : await authenticate(headers, contract.protocol?.surface)
  checkPermission(caller, contract.permission)
  checkOpen(caller, contract)
  return caller as Caller
}

async function replied(
  operation: AnyOperation,
  { caller, cacheId }: { caller: Caller; cacheId: CacheKey | undefined },
  request: ApiRequest,
  requestId: string,
): Promise<ApiResponse> {
  const began = performance.now()
  const input = await readInput(operation.contract, request)
  const current = performance.now() - began > SLOW_MS ? await authenticateAgain(operation, request) : caller
  const reply = await operation(current, input, {
    requestId,
    cachesBytes: true,
    confirm: request.within?.confirm,
  })
  if (operation.contract.protocol) return written(operation.contract.protocol, request, reply)
  const { body, headers = {}, version, saved, isCacheable = true, validUntil } = reply
  const leaving = async () => {
    const { method, path, search: query } = request
    // A public link's download is not an export of any customer's.
    if (caller && method !== 'HEAD')
      await auditExport(caller, { call: operation.contract.name, path, query }, requestId)
  }
  if (body instanceof Uint8Array) {
    const file = conditional(request, body, headers, version)
    if (file.status === 200) await leaving()
    return file
  }
  if (isPieces(body)) {
    await leaving()
    return { status: 200, headers, body: await startSending(body, request.gone) }
  }
  // Bytes from here on: a string would be encoded three times, for its ETag, its length and the socket.
  const isMade = saved instanceof Uint8Array
  const bytes = isMade
    ? Buffer.from(saved.buffer, saved.byteOffset, saved.byteLength)
    : Buffer.from(saved ?? JSON.stringify(body))
  const links = isPaged(operation.contract) ? pageLinks(request, body) : {}
  const answer = {
    body: bytes,
    headers: { ...links, ...headers },
    etag: isMade ? tagOnce(saved, version) : entityTag(bytes, version),
    validUntil,
  }
  if (cacheId && isCacheable) storeAnswer(cacheId, answer)
  return asRead(request, caller, answer)
}

/** Returns an answer in JSON, or a 304 if the caller has it. */
function asRead(
  request: ApiRequest,
  caller: Caller | undefined,
  { body, headers: answerHeaders, etag }: CachedAnswer,
): ApiResponse {
  // A browser must not cache a cookie's answer: the next user of a shared computer would find it.
  const cacheControl = caller?.via === 'session' ? 'no-store' : 'private, no-cache'
  const headers = {
    'Content-Type': 'application/json',
    'Cache-Control': cacheControl,
    ...answerHeaders,
    ETag: etag,
  }
  return matchesEtag(request, etag) ? { status: 304, headers, body: null } : { status: 200, headers, body }
}

/**
 * Returns the problem for an error of an operation. A problem that the contract does not list is a bug of the server:
 * 500.
 */
function promised({ name, problems }: AnyContract, error: unknown): never {
  const { code, message } = toProblem(error)
  if (problems.includes(code)) throw error
  throw new Error(`${name} answered ${code}, which its contract does not list: ${message}`)
}

/** Methods that Next passes to a route. Each has a handler, so that Next never answers with a response of its own. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

/** Returns the operation of a path with this method, if any; HEAD is a GET without its body. */
function operationOf(operations: readonly AnyOperation[], method: string): AnyOperation | undefined {
  return operations.find(({ contract }) => contract.method === (method === 'HEAD' ? 'GET' : method))
}

/**
 * Returns the operation of a path with this method.
 * @throws Problem `method_not_allowed`, with the methods that the path has
 */
function operationFor(operations: readonly AnyOperation[], method: string): AnyOperation {
  const operation = operationOf(operations, method)
  if (operation) return operation
  const allowed = operations.flatMap(({ contract }) =>
    contract.method === 'GET' ? ['GET', 'HEAD'] : [contract.method],
  )
  throw new Problem('method_not_allowed', `Use ${allowed.join(' or ')} here.`, {
    headers: { Allow: allowed.join(', ') },
  })
}

export type ApiResponse = {
  status: number
  headers: Record<string, string>
  /** The length of an `Outgoing` body, which is made while it is sent, is unknown. */
  body: string | Uint8Array | Outgoing | null
}

/** Length in bytes from which a body is sent in chunks, so that a client that reads too slowly is cut. */
const LARGE = 256 * 1024

/**
 * Runs `respond` and turns every thrown value into a problem. Assigns the request id and logs the request. `respond`
 * adds to `always` the header fields that every answer carries, errors included.
 * @param route the path as in the API's description
 * @param errorFormat how a refusal is written
 */
export async function guarded(
  request: ApiRequest,
  route: string,
  respond: (requestId: string, always: (fields: Record<string, string>) => void) => Promise<ApiResponse>,
  errorFormat: ErrorFormat = PROBLEMS_AS_JSON,
): Promise<ApiResponse> {
  const requestId = acceptedRequestId(request.headers.get('request-id'))
  const started = performance.now()
  let fields: Record<string, string> | undefined
  const always = (extraHeaders: Record<string, string>) => {
    fields = extraHeaders
  }
  const answer = await respond(requestId, always).catch((error: unknown) =>
    errorResponse(error, requestId, errorFormat),
  )
  const { status, headers } = answer
  const body = await inPiecesIfLarge(answer.body, request)
  const note = (more = {}) => {
    const seconds = secondsSince(started)
    const ms = Math.round(seconds * 1000)
    const { method } = request
    // A link that contains a secret must not be logged.
    const path = route.includes('{secret}') ? route : request.path
    measured('request', { route, method, status, seconds })
    log().info({ requestId, method, path, route, status, ms, ...requestLogFields(requestContext()), ...more })
  }
  if (isOutgoing(body)) noteEnd(body, requestId, note)
  else note()
  if (isOutgoing(body) && request.method === 'HEAD') await body.return()
  const length = isOutgoing(answer.body) || answer.body === null ? undefined : Buffer.byteLength(answer.body)
  return {
    status,
    headers: {
      ...headers,
      ...fields,
      ...(length === undefined ? {} : { 'Content-Length': String(length) }),
      'Request-Id': requestId,
      'X-Content-Type-Options': 'nosniff',
    },
    body: request.method === 'HEAD' ? null : body,
  }
}

async function inPiecesIfLarge(
  body: ApiResponse['body'],
  { method, gone }: ApiRequest,
): Promise<ApiResponse['body']> {
  const isLarge = body instanceof Uint8Array && body.length > LARGE && method !== 'HEAD'
  return isLarge ? startSending(inPieces(body), gone, { size: body.length }) : body
}

async function noteEnd({ ended }: Outgoing, requestId: string, note: (more: object) => void): Promise<void> {
  const { bytes, cut, error } = await ended
  if (error !== undefined) logFailure(toProblem(error), error, requestId)
  note({ bytes, ...(cut ? { cut } : {}) })
}

/**
 * Returns the response for a thrown error. A problem that lacks a member its code promises is a bug of the server: 500.
 */
function errorResponse(error: unknown, requestId: string, errorFormat: ErrorFormat): ApiResponse {
  const problem = toProblem(error)
  logFailure(problem, error, requestId)
  const { headers, saved } = problem.more
  try {
    return {
      status: problem.status,
      headers: { 'Content-Type': errorFormat.type, 'Cache-Control': 'no-store', ...headers },
      body: saved ?? errorFormat.text(problem, requestId),
    }
  } catch (broken) {
    return errorResponse(broken, requestId, errorFormat)
  }
}

// The product's own server assigns the request id; without it, or for an invalid id, a new one is made.
function acceptedRequestId(header: string | null): string {
  return header && /^[\w-]{8,64}$/.test(header) ? header : randomUUID()
}
