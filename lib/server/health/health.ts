import type { ServerResponse } from 'node:http'
import { database } from '#lib/platform/db/client.ts'
import type { Handler } from '../http-handler.ts'
import { whatIsMissing } from './readiness.ts'

/**
 * Makes the answers of three addresses, each 200 `ok`, or 503 and the reason in a word:
 * - `/livez`: the process lives. Always 200, so that whoever restarts what does not answer leaves it alone.
 * - `/healthz`, for balancers: 200 unless the process is about to leave (`draining`). The database is not asked: while
 *   it is away, taking out every process would put the balancer's bare answer in the place of our own 503, which says
 *   when to try again.
 * - `/readyz`, for whoever waits for a start or looks at a release: the database answers within a second
 *   (`database`), and all migrations of this release are applied there (`migrations`). A replica that can't be used
 *   makes no 503, because all reads go to the database then: `ok, replica behind`.
 */
export function healthCheck(isDraining: () => boolean): Handler {
  return async ({ url = '' }, res) => {
    if (url.startsWith('/livez')) sendHealth(res)
    else if (isDraining()) sendHealth(res, 'draining')
    else if (url.startsWith('/readyz'))
      sendHealth(res, await whatIsMissing(), database().replica?.unavailability())
    else sendHealth(res)
  }
}

function sendHealth(res: ServerResponse, problem?: string, ofReplica?: string): void {
  const text = problem ?? (ofReplica ? `ok, replica ${ofReplica}` : 'ok')
  const headers = { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' }
  res.writeHead(problem ? 503 : 200, { ...headers, 'Content-Length': text.length }).end(text)
}
