import 'server-only'
import { randomUUID } from 'node:crypto'
import { authenticate } from '#lib/access/authenticate.ts'
import type { Caller } from '#lib/access/rules.ts'
import { env } from '#lib/env.ts'
import { begin, isPieces, type Outgoing } from '#lib/files/stream.ts'
import { log, logFailure } from '#lib/log.ts'
import { entityTag } from './entity-tag.ts'
import { checkPermission, type Operation } from './operation.ts'
import { Problem, toProblem } from './problem.ts'
import { type ApiRequest, readInput } from './request.ts'

export type ApiResponse = {
  status: number
  headers: Record<string, string>
  /** An outgoing body has no length and no ETag. */
  body: string | Uint8Array | Outgoing | null
}

// biome-ignore lint/suspicious/noExplicitAny: a mount takes operations of any contract
export type AnyOperation = Operation<any>

/**
 * Answers one request to the path of these operations. Never throws. The order of the checks is the
 * contract's: 401, 405, 403, 415, 413, 400, then the operation's own.
 */
export function answer(operations: AnyOperation[], request: ApiRequest): Promise<ApiResponse> {
  return guarded(request, (requestId) => perform(operations, request, requestId))
}

/** Runs `respond`; whatever it throws becomes a problem. Names the request and logs it. */
export async function guarded(
  request: ApiRequest,
  respond: (requestId: string) => Promise<ApiResponse>,
): Promise<ApiResponse> {
  const requestId = acceptedRequestId(request.headers.get('request-id'))
  const started = performance.now()
  const { status, headers, body } = await respond(requestId).catch((error: unknown) => {
    const problem = toProblem(error)
    logFailure(problem, error, requestId)
    return refuse(problem, requestId)
  })
  const note = (more = {}) => {
    const ms = Math.round(performance.now() - started)
    log().info({ requestId, method: request.method, path: request.path, status, ms, ...more })
  }
  if (isOutgoing(body)) noteEnd(body, requestId, note)
  else note()
  if (isOutgoing(body) && request.method === 'HEAD') await body.return()
  return {
    status,
    headers: { ...headers, 'Request-Id': requestId, 'X-Content-Type-Options': 'nosniff' },
    body: request.method === 'HEAD' ? null : body,
  }
}

/** Whether an answer's body is sent piece by piece. */
export function isOutgoing(body: ApiResponse['body']): body is Outgoing {
  return typeof body === 'object' && body !== null && 'next' in body
}

async function noteEnd({ ended }: Outgoing, requestId: string, note: (more: object) => void): Promise<void> {
  const { bytes, cut, error } = await ended
  if (error !== undefined) logFailure(toProblem(error), error, requestId)
  note({ bytes, ...(cut ? { cut } : {}) })
}

async function perform(
  operations: AnyOperation[],
  request: ApiRequest,
  requestId: string,
): Promise<ApiResponse> {
  const isPublic = operations.every(({ contract }) => contract.permission === 'none')
  const caller = isPublic ? undefined : await authenticate(request.headers)
  if (!isPublic) checkPermission(caller, 'any')
  const operation = operationFor(operations, request.method)
  const { contract } = operation
  checkPermission(caller, contract.permission)
  if (contract.method !== 'GET' && caller?.via === 'session') checkOrigin(request)
  const input = await readInput(contract, request)
  const reply = await operation(caller as Caller, input, { requestId })
  if (reply.body instanceof Uint8Array)
    return conditional(request, reply.body, reply.headers ?? {}, reply.version)
  if (isPieces(reply.body))
    return { status: 200, headers: reply.headers ?? {}, body: await begin(reply.body, request.gone) }
  const body = reply.saved ?? JSON.stringify(reply.body)
  const headers = {
    'Content-Type': 'application/json',
    'Cache-Control': 'private, no-cache',
    ...reply.headers,
  }
  return conditional(request, body, headers, reply.version)
}

function operationFor(operations: AnyOperation[], method: string): AnyOperation {
  const found = operations.find(({ contract }) => contract.method === (method === 'HEAD' ? 'GET' : method))
  if (found) return found
  const allowed = operations.flatMap(({ contract }) =>
    contract.method === 'GET' ? ['GET', 'HEAD'] : [contract.method],
  )
  throw new Problem('method_not_allowed', `Use ${allowed.join(' or ')} here.`, {
    headers: { Allow: allowed.join(', ') },
  })
}

// A cookie travels along with requests that other sites make: those must not write (PROMISES 2.9).
function checkOrigin(request: ApiRequest): void {
  const site = request.headers.get('sec-fetch-site')
  const origin = request.headers.get('origin')
  const host = request.headers.get('host')
  const scheme = new URL(env().baseUrl).protocol
  const own = site === null ? origin === `${scheme}//${host}` : site === 'same-origin'
  if (!own)
    throw new Problem(
      'cross_origin',
      'A signed-in session may write only from the console itself. Use an API key.',
    )
}

function conditional(
  request: ApiRequest,
  body: string | Uint8Array,
  headers: Record<string, string>,
  version: string | undefined,
): ApiResponse {
  const etag = entityTag(body, version)
  const known = request.headers.get('if-none-match')
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  const same = isRead && known?.split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, '')))
  return { status: same ? 304 : 200, headers: { ...headers, ETag: etag }, body: same ? null : body }
}

function refuse(problem: Problem, requestId: string): ApiResponse {
  const { headers, saved } = problem.more
  return {
    status: problem.status,
    headers: { 'Content-Type': 'application/problem+json', 'Cache-Control': 'no-store', ...headers },
    body: saved ?? JSON.stringify(problem.body(requestId)),
  }
}

// The front door names each request; where there is none, or the name is odd, we do.
function acceptedRequestId(given: string | null): string {
  return given && /^[\w-]{8,64}$/.test(given) ? given : randomUUID()
}
