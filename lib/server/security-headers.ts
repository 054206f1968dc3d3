import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'

const YEAR_SECONDS = 365 * 24 * 60 * 60

// Should a browser show as a page what is none, it may load and run nothing.
const DATA_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** The policy of a page, whose scripts and styles carry `nonce`. With https, it upgrades what is left of http. */
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
 * What every answer carries, whatever it is; a page's own policy replaces the one in here.
 * @param hstsSubdomains whether browsers keep to https for all names below this one, too
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

/** Who has such a link can set a password with it, or read somebody's calendar. */
const SECRET_LINK = /^(\/(?:invitation|reset|calendar)\/).+/

/** A path as it may stand in a log: without the secret of a link of ours. */
export function withoutSecret(path: string): string {
  return path.replace(SECRET_LINK, '$1…')
}

/**
 * Gives a page its policy. Next finds the nonce for its scripts there; our layout takes it as it is. Where a page with a
 * secret in its address leads on, and what it loads, learns nothing of it.
 */
export function givePolicy(req: IncomingMessage, res: ServerResponse, path: string, https: boolean): void {
  const nonce = randomBytes(16).toString('base64')
  const policy = pagePolicy(nonce, https)
  res.setHeader('Content-Security-Policy', policy)
  req.headers['content-security-policy'] = policy
  req.headers['x-nonce'] = nonce
  if (SECRET_LINK.test(path)) res.setHeader('Referrer-Policy', 'no-referrer')
}
