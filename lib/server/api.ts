import { globSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { type ApiResponse, type Mounted, mountedBy } from '#lib/platform/api/endpoint.ts'
import { isOutgoing } from '#lib/platform/api/operation.ts'
import { type ApiRequest, readBytes } from '#lib/platform/api/request.ts'
import { holdUnread } from '#lib/platform/runtime/concurrency.ts'
import { requestContext } from '#lib/platform/runtime/log.ts'
import { createRouter } from './api-router.ts'
import { pipeToResponse } from './delivery/pipe-to-response.ts'
import { registerLeaks } from './leaks.ts'
import { withoutSecret } from './security-headers.ts'
import type { Target } from './target.ts'
import type { Trace } from './traces/spans.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Routes that set cookies and redirect are not part of the API: Next answers them. */
const NEXT_ROUTES = 'app/auth/sign-on/**'

/** Answers a request to a path of the API. */
export type Api = (req: IncomingMessage, res: ServerResponse, target: Target) => Promise<void>

/**
 * Loads the API's route files, the same as Next would load, and answers with their mounted operations: without Next's
 * router, and without its `Request` and `Response`. Paths come from the contracts; there is no separate table.
 * @param startTrace starts a span for each call, where traces are enabled
 */
export async function loadApi(startTrace?: Trace): Promise<Api> {
  registerLeaks()
  const files = globSync('app/{billing,auth,scim,calendar,mcp}/**/route.ts', {
    cwd: ROOT,
    exclude: [NEXT_ROUTES],
  })
  const mounted = await Promise.all(files.map((file) => mountedIn(join(ROOT, file))))
  const find = createRouter(mounted)
  return async (req, res, { path, url }) => {
    const left = new AbortController()
    // A client that got the whole response has not disconnected, and each abort would cost a stack trace.
    res.once('close', () => {
      if (!res.writableFinished) left.abort()
    })
    const { path: route, respond } = find(path)
    const call: ApiRequest = {
      method: req.method ?? 'GET',
      path,
      search: url.slice(path.length + 1),
      headers: { get: (name) => headerOf(req, name) },
      read: (limit, isAnonymous) => readBytes(req, limit, isAnonymous),
      gone: left.signal,
    }
    const answer = async () => send(res, await respond(call))
    await (startTrace ? startTrace(req, res, { path: withoutSecret(path), route }, answer) : answer())
  }
}

async function mountedIn(file: string): Promise<Mounted> {
  const { GET } = (await import(pathToFileURL(file).href)) as { GET: Parameters<typeof mountedBy>[0] }
  const routes = mountedBy(GET)
  if (!routes) throw new Error(`${file} mounts nothing of lib/platform/api/endpoint.ts.`)
  return routes
}

/** Joins repeated headers like the Fetch standard. */
function headerOf(req: IncomingMessage, name: string): string | null {
  const value = req.headers[name.toLowerCase()]
  return Array.isArray(value) ? value.join(', ') : (value ?? null)
}

/** Bytes of a file that is made while it is sent: a batch of its rows, as rows and as text. */
const STREAM_BYTES = 2 * 1024 * 1024

/** Returns the bytes that a body takes until it has been sent. */
function bytesOf(body: ApiResponse['body']): number {
  if (body === null) return 0
  return isOutgoing(body) ? (body.size ?? STREAM_BYTES) : Buffer.byteLength(body)
}

async function send(res: ServerResponse, answer: ApiResponse): Promise<void> {
  const { status, headers, body } = answer
  res.once('close', holdUnread(bytesOf(body), requestContext()?.customerId))
  res.writeHead(status, headers)
  if (!isOutgoing(body)) res.end(body ?? undefined)
  else await pipeToResponse(body, res).catch(() => res.destroy())
}
