import 'server-only'
import type { Outgoing } from '#lib/platform/files/stream.ts'
import { type ApiResponse, answer, guarded, isOutgoing, METHODS } from './answer.ts'
import type { AnyOperation } from './operation.ts'
import { Problem } from './problem.ts'
import type { Protocol } from './protocol.ts'
import type { ApiRequest } from './request.ts'

/** What answers the requests to one path; it never throws. */
export type Respond = (request: ApiRequest) => Promise<ApiResponse>

type Handler = (request: Request) => Promise<Response>
type Handlers = Record<(typeof METHODS)[number], Handler>

/** The route handlers of one path: its operations, and a 405 for every other method. */
export function route(...operations: AnyOperation[]): Handlers {
  return handlers(operations[0]?.contract.path, (request) => answer(operations, request))
}

/** The 404 of every path under the API that names nothing, as JSON or as the protocol has it of those below its root. */
export function unknownPath(protocol?: Protocol): Handlers {
  return handlers(protocol?.root, (request) =>
    guarded(request, 'unknown', () => Promise.reject(new Problem('not_found')), protocol?.refusals),
  )
}

const mounted = new WeakMap<Handler, Mounted>()

/** What a route file mounts. */
export type Mounted = {
  /** Its contract's path, as in `/billing/v1/assets/{asset_id}`; absent: all that no other route has; `/scim/…`: of those, what is below. */
  path: string | undefined
  respond: Respond
}

/**
 * What is behind a route handler, for a server that has no need of `Request` and `Response` in between.
 * @param handler one of those that `route` or `unknownPath` gave
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
      read: (limit) => readBytes(request.body, limit),
      gone: request.signal,
    })
    const sent = isOutgoing(body) ? streamOf(body) : body
    return new Response(sent as BodyInit | null, { status, headers })
  }
  mounted.set(handle, { path, respond })
  return Object.fromEntries(METHODS.map((method) => [method, handle])) as Handlers
}

/** Asked for the next chunk only when the one before has left. What fails here makes the server cut the connection. */
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
 * A request's body, as far as it may go.
 * @throws Problem `invalid_request` where it broke off
 */
export async function readBytes(
  body: AsyncIterable<Uint8Array> | ReadableStream<Uint8Array> | null,
  limit: number,
): Promise<Uint8Array | 'too large'> {
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
      size += chunk.length
      if (size > limit) return 'too large'
      chunks.push(chunk)
    }
  } catch {
    throw new Problem('invalid_request', 'The body ended before its end.')
  }
  return Buffer.concat(chunks)
}
