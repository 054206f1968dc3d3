import type { IncomingMessage, ServerResponse } from 'node:http'
import { log } from '#lib/platform/runtime/log.ts'
import { measured, secondsSince } from '#lib/platform/runtime/measured.ts'
import { toldOf, visit } from '#lib/platform/runtime/visit.ts'
import { withoutSecret } from './security-headers.ts'

type Visited = {
  /** Where the request has no visit yet. */
  requestId?: string
  /** Of a target that was understood; anything else stays out of the log. */
  path: string | undefined
  /** What kind of thing was asked for. */
  route: string
  /** Logged at the level debug. */
  quiet: boolean
}

/** Logs a request when its answer has ended, with the fields that the API's calls have. */
export function logVisit(req: IncomingMessage, res: ServerResponse, { quiet, ...visited }: Visited): void {
  const here = visit()
  const started = performance.now()
  res.once('close', () => {
    const seconds = secondsSince(started)
    const ms = Math.round(seconds * 1000)
    // Gone before the end: the status says nothing about what arrived.
    const cut = res.writableFinished ? {} : { cut: true }
    const { method = '' } = req
    const { statusCode: status } = res
    // A page whose frame had left when it failed: the status that was sent says nothing about it.
    const isLie = here?.isFailed === true && status < 500
    measured('request', { route: visited.route, method, status: isLie ? 500 : status, seconds })
    const requestId = here?.requestId
    const path = visited.path && withoutSecret(visited.path)
    const failed = isLie ? { failed: true } : {}
    const entry = { requestId, ...visited, path, method, status, ms, ...toldOf(here), ...cut, ...failed }
    if (quiet) log().debug(entry)
    else log().info(entry)
  })
}
