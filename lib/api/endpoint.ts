import 'server-only'
import type { Outgoing } from '#lib/files/stream.ts'
import { answer } from './answer.ts'
import { type ApiResponse, guarded, isOutgoing } from './guarded.ts'
import { METHODS } from './methods.ts'
import type { AnyOperation } from './operation.ts'
import { Problem } from './problem.ts'
import type { ApiRequest } from './request.ts'

type Handlers = Record<(typeof METHODS)[number], (request: Request) => Promise<Response>>

/** The route handlers of one path: its operations, and a 405 for every other method. */
export function route(...operations: AnyOperation[]): Handlers {
  return handlers((request) => answer(operations, request))
}

/** The JSON 404 of every path under the API that names nothing. */
export function unknownPath(): Handlers {
  return handlers((request) => guarded(request, () => Promise.reject(new Problem('not_found'))))
}

function handlers(respond: (request: ApiRequest) => Promise<ApiResponse>): Handlers {
  const handle = async (request: Request) => {
    const { pathname, search } = new URL(request.url)
    const { status, headers, body } = await respond({
      // The front door names one that Next does not carry.
      method: request.headers.get('x-method') ?? request.method,
      path: pathname,
      // The front door keeps it as it was sent.
      search: request.headers.get('x-query') ?? search.slice(1),
      headers: request.headers,
      read: (limit) => readBytes(request, limit),
      gone: request.signal,
    })
    const sent = isOutgoing(body) ? streamOf(body) : body
    return new Response(sent as BodyInit | null, { status, headers })
  }
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

async function readBytes(request: Request, limit: number): Promise<Uint8Array | 'too large'> {
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of (request.body ?? []) as AsyncIterable<Uint8Array>) {
      size += chunk.length
      if (size > limit) return 'too large'
      chunks.push(chunk)
    }
  } catch {
    throw new Problem('invalid_request', 'The body ended before its end.')
  }
  return Buffer.concat(chunks)
}
