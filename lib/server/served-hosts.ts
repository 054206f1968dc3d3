import type { IncomingHttpHeaders } from 'node:http'

/**
 * Makes the check of the host that a request names: sign-in redirects and cookies depend on it, and pages of
 * strangers reach a server on loopback by giving their own name its address.
 * @param allowed host names, with port where it is not the scheme's own
 * @param trustProxy whether X-Forwarded-Host counts; its first name, where there are several
 * @returns a function that gives the host, lower case; undefined where it is not served. That is a 400 and not a
 *   421, which tells a client to try the same elsewhere.
 */
export function servedHosts(allowed: string[], trustProxy: boolean) {
  const names = new Set(allowed.flatMap((name) => [name.toLowerCase(), withoutDefaultPort(name)]))
  return (headers: IncomingHttpHeaders, targetHost: string | undefined): string | undefined => {
    const forwarded = trustProxy ? first(headers['x-forwarded-host']) : undefined
    const host = (forwarded ?? targetHost ?? headers.host ?? '').toLowerCase()
    return names.has(host) || names.has(withoutDefaultPort(host)) ? host : undefined
  }
}

/** The first value of a header that each proxy adds to. */
export function first(header: string | string[] | undefined): string | undefined {
  const text = Array.isArray(header) ? header[0] : header
  return text?.split(',')[0]?.trim() || undefined
}

function withoutDefaultPort(host: string): string {
  return host.toLowerCase().replace(/:(80|443)$/, '')
}
