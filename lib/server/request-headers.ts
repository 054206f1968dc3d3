import type { IncomingHttpHeaders } from 'node:http'
import { Problem } from '#lib/platform/api/problem.ts'
import { first } from './served-hosts.ts'
import type { Area } from './target.ts'

// What Next, or we, say to ourselves by header: from outside it would skip or steer what they guard.
const INTERNAL =
  /^(x-(middleware|nextjs|next|invoke|now|vercel|prerender)-|x-matched-path$|x-nonce$|x-client-address$|content-security-policy|next-(action|resume)|request-id$)/
// Belongs to navigation between pages; a route handler would answer with a redirect.
const NAVIGATION = /^(rsc$|next-router-|next-url$)/
const FORWARDED = /^(x-forwarded-|forwarded$|x-real-ip$)/

/**
 * Removes from a request's headers what only the inside may say, and what only a proxy may say unless
 * `trustProxy`; of a trusted proxy's scheme and host the first counts.
 */
export function stripHeaders(headers: IncomingHttpHeaders, area: Area, trustProxy: boolean): void {
  for (const name in headers) {
    const stripped =
      INTERNAL.test(name) ||
      (area !== 'page' && NAVIGATION.test(name)) ||
      (!trustProxy && FORWARDED.test(name))
    if (stripped) delete headers[name]
  }
  // Compressing a 12 KB answer costs half of what making it does; who wants it has a balancer for it.
  if (area === 'api') delete headers['accept-encoding']
  if (!trustProxy) return
  const scheme = first(headers['x-forwarded-proto'])?.toLowerCase()
  if (scheme === 'http' || scheme === 'https') headers['x-forwarded-proto'] = scheme
  else delete headers['x-forwarded-proto']
}

/**
 * Two headers of a name that stands once mean two readers of them who may disagree (RFC 9112, 3.2): whoever is in front
 * of us could have checked the other one.
 * @param raw names and values in turn, as Node's rawHeaders
 * @throws Problem `invalid_request`
 */
export function checkSingle(raw: string[]): void {
  for (const name of ['Host', 'Authorization']) {
    if (count(raw, name) > 1)
      throw new Problem('invalid_request', `The request has more than one ${name} header.`)
  }
}

function count(raw: string[], name: string): number {
  let occurrences = 0
  for (let at = 0; at < raw.length; at += 2) {
    const candidate = raw[at]
    if (candidate?.length === name.length && candidate.toLowerCase() === name.toLowerCase()) occurrences += 1
  }
  return occurrences
}
