import type { IncomingHttpHeaders } from 'node:http'
import { Problem } from '#lib/platform/api/problem.ts'
import { first } from './served-hosts.ts'
import type { Area } from './target.ts'

// Internal headers of Next and of this server: sent by a client, they would bypass or control the guarded code.
const INTERNAL =
  /^(x-(middleware|nextjs|next|invoke|now|vercel|prerender)-|x-matched-path$|x-nonce$|x-client-address$|content-security-policy|next-(action|resume)|request-id$)/
// Belongs to client-side navigation; a route handler would answer with a redirect.
const NAVIGATION = /^(rsc$|next-router-|next-url$)/
const FORWARDED = /^(x-forwarded-|forwarded$|x-real-ip$)/

/**
 * Strips internal headers from a request, and proxy headers unless `trustProxy`. Of several schemes and hosts by
 * trusted proxies, the first counts.
 */
export function stripHeaders(headers: IncomingHttpHeaders, area: Area, trustProxy: boolean): void {
  for (const name in headers) {
    const stripped =
      INTERNAL.test(name) ||
      (area !== 'page' && NAVIGATION.test(name)) ||
      (!trustProxy && FORWARDED.test(name))
    if (stripped) delete headers[name]
  }
  if (!trustProxy) return
  const scheme = first(headers['x-forwarded-proto'])?.toLowerCase()
  if (scheme === 'http' || scheme === 'https') headers['x-forwarded-proto'] = scheme
  else delete headers['x-forwarded-proto']
}

/**
 * Rejects repeated headers that must be unique: two readers may use different ones (RFC 9112, 3.2), and a proxy could
 * have checked the other one.
 * @param raw alternating names and values, as Node's rawHeaders
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
