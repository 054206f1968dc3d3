import 'server-only'
import { randomUUID } from 'node:crypto'
import { inPieces, type Outgoing, startSending } from '#lib/platform/files/stream.ts'
import { log, logFailure } from '#lib/platform/runtime/log.ts'
import { measured, secondsSince } from '#lib/platform/runtime/measured.ts'
import { toldOf, visit } from '#lib/platform/runtime/visit.ts'
import { toProblem } from './problem.ts'
import { PROBLEMS_AS_JSON } from './problem-shapes.ts'
import type { Refusals } from './protocol/protocol.ts'
import type { ApiRequest } from './request.ts'

export type ApiResponse = {
  status: number
  headers: Record<string, string>
  /** Of what is made while it is sent, an outgoing body, nobody knows the length. */
  body: string | Uint8Array | Outgoing | null
}

/** In bytes: what is larger is sent in pieces, so that a client who takes it too slowly is cut. */
const LARGE = 256 * 1024

/**
 * Runs `respond`; whatever it throws becomes a problem. Names the request and logs it. What it gives to `always` are
 * header fields of the answer, whichever it is.
 * @param route the path as the API's description has it
 * @param refusals how a refusal is written
 */
export async function guarded(
  request: ApiRequest,
  route: string,
  respond: (requestId: string, always: (fields: Record<string, string>) => void) => Promise<ApiResponse>,
  refusals: Refusals = PROBLEMS_AS_JSON,
): Promise<ApiResponse> {
  const requestId = acceptedRequestId(request.headers.get('request-id'))
  const started = performance.now()
  let fields: Record<string, string> | undefined
  const always = (given: Record<string, string>) => {
    fields = given
  }
  const answer = await respond(requestId, always).catch((error: unknown) =>
    refuse(error, requestId, refusals),
  )
  const { status, headers } = answer
  const body = await inPiecesIfLarge(answer.body, request)
  const note = (more = {}) => {
    const seconds = secondsSince(started)
    const ms = Math.round(seconds * 1000)
    const { method } = request
    // A link with a secret in it is in no log.
    const path = route.includes('{secret}') ? route : request.path
    measured('request', { route, method, status, seconds })
    log().info({ requestId, method, path, route, status, ms, ...toldOf(visit()), ...more })
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
  return isLarge ? startSending(inPieces(body), gone) : body
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

/** The problem that an error is. One that lacks what its code promises is our own fault: 500. */
function refuse(error: unknown, requestId: string, refusals: Refusals): ApiResponse {
  const problem = toProblem(error)
  logFailure(problem, error, requestId)
  const { headers, saved } = problem.more
  try {
    return {
      status: problem.status,
      headers: { 'Content-Type': refusals.type, 'Cache-Control': 'no-store', ...headers },
      body: saved ?? refusals.text(problem, requestId),
    }
  } catch (broken) {
    return refuse(broken, requestId, refusals)
  }
}

// The front door names each request; where there is none, or the name is odd, we do.
function acceptedRequestId(given: string | null): string {
  return given && /^[\w-]{8,64}$/.test(given) ? given : randomUUID()
}
