import type { IncomingHttpHeaders } from 'node:http'

/**
 * Returns the check of a request's host. Sign-in redirects and cookies depend on the host, and other sites could reach
 * a server on loopback by a name that resolves to its address (DNS rebinding).
 * @param allowed host names, with port where it is not the scheme's default
 * @param trustProxy whether X-Forwarded-Host counts; of several names, the first
 * @returns a function that returns the host in lower case; undefined where the host is not served. That results in 400
 * instead of 421, after which a client would retry elsewhere.
 */
export function servedHosts(allowed: string[], trustProxy: boolean) {
  const names = new Set(allowed.flatMap((name) => [name.toLowerCase(), withoutDefaultPort(name)]))
  return (headers: IncomingHttpHeaders, targetHost: string | undefined): string | undefined => {
    const forwarded = trustProxy ? first(headers['x-forwarded-host']) : undefined
    const host = (forwarded ?? targetHost ?? headers.host ?? '').toLowerCase()
    return names.has(host) || names.has(withoutDefaultPort(host)) ? host : undefined
  }
}

/** Returns the first value of a header that each proxy appends to. */
export function first(header: string | string[] | undefined): string | undefined {
  const text = Array.isArray(header) ? header[0] : header
  return text?.split(',')[0]?.trim() || undefined
}

function withoutDefaultPort(host: string): string {
  return host.toLowerCase().replace(/:(80|443)$/, '')
}
