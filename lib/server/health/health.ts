import { database } from '#lib/platform/db/client.ts'
import type { Handler } from '../http-handler.ts'
import { sendHealth, sendLife } from './answer.ts'
import { whatIsMissing } from './readiness.ts'

/**
 * Returns the handler of three addresses, each 200 `ok`, or 503 and the reason in a word:
 * - `/livez`: the process lives. Always 200, so that a supervisor does not restart it while the database is away;
 *   the header Server has the version.
 * - `/healthz`, for balancers: 200 unless the process is shutting down (`draining`). Does not query the database:
 *   while the database is away, removing every process would replace our own 503, which has a Retry-After, by the
 *   balancer's bare one.
 * - `/readyz`, for a start or a release: the database answers within a second (`database`), and all migrations of
 *   this release are applied (`migrations`). An unusable replica does not cause a 503, because all reads use the
 *   database then: `ok, replica behind`.
 */
export function healthCheck(isDraining: () => boolean): Handler {
  return async ({ url = '' }, res) => {
    if (url.startsWith('/livez')) sendLife(res)
    else if (isDraining()) sendHealth(res, 'draining')
    else if (url.startsWith('/readyz'))
      sendHealth(res, await whatIsMissing(), database().replica?.unavailability())
    else sendHealth(res)
  }
}
