import 'server-only'
import { Problem } from '#lib/platform/api/problem.ts'
import { env } from '#lib/platform/runtime/env.ts'

/**
 * Checks that a session's write comes from the console itself, against cross-site request forgery: a cookie travels
 * with requests of other sites, too. Browsers send Sec-Fetch-Site; without it, Origin must be the
 * console's.
 * @throws Problem `cross_origin`
 */
export function checkSameOrigin(headers: { get(name: string): string | null }): void {
  const site = headers.get('sec-fetch-site')
  const expectedOrigin = `${new URL(env().baseUrl).protocol}//${headers.get('host')}`
  const isSame = site === null ? headers.get('origin') === expectedOrigin : site === 'same-origin'
  if (isSame) return
  const detail = 'A signed-in session may write only from the console itself. Use an API key.'
  throw new Problem('cross_origin', detail)
}
