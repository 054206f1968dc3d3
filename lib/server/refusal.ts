import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Problem } from '#lib/platform/api/problem.ts'
import { problemText } from '#lib/platform/api/problem-shapes.ts'
import type { Area } from './target.ts'

/** Answers with a problem: as the API does on its paths, in plain words elsewhere. A half-sent answer is cut. */
export function refuse(
  req: IncomingMessage,
  res: ServerResponse,
  area: Area,
  problem: Problem,
  requestId: string,
): void {
  if (res.headersSent) {
    res.destroy()
    return
  }
  const isApi = area === 'api'
  const body = isApi
    ? problemText(problem, requestId)
    : `${problem.status} ${problem.message}\nRequest id: ${requestId}\n`
  res.writeHead(problem.status, {
    'Content-Type': isApi ? 'application/problem+json' : 'text/plain; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    ...problem.more.headers,
  })
  res.end(req.method === 'HEAD' ? undefined : body)
}
