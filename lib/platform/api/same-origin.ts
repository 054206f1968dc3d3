import 'server-only'
import { env } from '#lib/platform/runtime/env.ts'
import { Problem } from './problem.ts'

/**
 * Whether a session's write comes from the console itself: its cookie travels along with requests that other sites
 * make too (PROMISES 2.9). Browsers say it by Sec-Fetch-Site; for those that do not, the Origin must be ours.
 * @throws Problem `cross_origin`
 */
export function checkSameOrigin(headers: { get(name: string): string | null }): void {
  const site = headers.get('sec-fetch-site')
  const own = `${new URL(env().baseUrl).protocol}//${headers.get('host')}`
  const isSame = site === null ? headers.get('origin') === own : site === 'same-origin'
  if (isSame) return
  const detail = 'A signed-in session may write only from the console itself. Use an API key.'
  throw new Problem('cross_origin', detail)
}
