import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'

const YEAR_SECONDS = 365 * 24 * 60 * 60

// If a browser displays other content as a page, it can load and run nothing.
const DATA_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/**
 * Returns the Content-Security-Policy of a page whose scripts and styles carry `nonce`. With https, it upgrades
 * remaining http requests.
 */
export function pagePolicy(nonce: string, https: boolean): string {
  const rules = [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    ...(https ? ['upgrade-insecure-requests'] : []),
  ]
  return rules.join('; ')
}

/**
 * Returns the headers of every response; a page's own policy replaces the one in here.
 * @param hstsSubdomains whether HSTS includes all subdomains
 */
export function securityHeaders(https: boolean, hstsSubdomains = false): ReadonlyMap<string, string> {
  const stay = `max-age=${YEAR_SECONDS}${hstsSubdomains ? '; includeSubDomains' : ''}`
  return new Map([
    ['Content-Security-Policy', DATA_POLICY],
    ['X-Content-Type-Options', 'nosniff'],
    ['X-Frame-Options', 'DENY'],
    ['Referrer-Policy', 'same-origin'],
    ['Cross-Origin-Opener-Policy', 'same-origin'],
    ['Cross-Origin-Resource-Policy', 'same-origin'],
    ['Permissions-Policy', 'camera=(), geolocation=(), microphone=(), payment=(), usb=()'],
    ...(https ? ([['Strict-Transport-Security', stay]] as const) : []),
  ])
}

/** Links with a secret, with which a client can set a password, or read a member's calendar. */
const SECRET_LINK = /^(\/(?:invitation|reset|calendar)\/).+/

/** Returns a path for the log, without the secret of such a link. */
export function withoutSecret(path: string): string {
  return path.replace(SECRET_LINK, '$1…')
}

/**
 * Sets a page's Content-Security-Policy. Next reads the nonce for its scripts from the request, and our layout does
 * too. A page with a secret in its address sends no referrer.
 */
export function givePolicy(req: IncomingMessage, res: ServerResponse, path: string, https: boolean): void {
  const nonce = randomBytes(16).toString('base64')
  const policy = pagePolicy(nonce, https)
  res.setHeader('Content-Security-Policy', policy)
  req.headers['content-security-policy'] = policy
  req.headers['x-nonce'] = nonce
  if (SECRET_LINK.test(path)) res.setHeader('Referrer-Policy', 'no-referrer')
}
