import type { IncomingMessage, ServerResponse } from 'node:http'
import { log } from '#lib/log.ts'

type Visit = {
  requestId: string
  /** Of a target that was understood; anything else stays out of the log. */
  path: string | undefined
  /** Logged at the level debug. */
  quiet: boolean
}

/** Logs a request when its answer has ended, with the fields that the API's calls have. */
export function logVisit(req: IncomingMessage, res: ServerResponse, { quiet, ...visit }: Visit): void {
  const started = performance.now()
  res.once('close', () => {
    const ms = Math.round(performance.now() - started)
    // Gone before the end: the status says nothing about what arrived.
    const cut = res.writableFinished ? {} : { cut: true }
    const entry = { ...visit, method: req.method, status: res.statusCode, ms, ...cut }
    if (quiet) log().debug(entry)
    else log().info(entry)
  })
}
