import 'server-only'
import { env } from '#lib/platform/runtime/env.ts'

/** Names of all cookies, without a prefix. The browser's script sets `theme`; the server sets the others. */
const NAMES = {
  session: 'console-session',
  csrf: 'console-csrf',
  callback: 'console-callback',
  pending: 'console-pending',
  signOn: 'console-sign-on',
  browser: 'console-browser',
  theme: 'theme',
} as const
export type Cookie = keyof typeof NAMES

/**
 * Returns whether cookies have the attribute Secure and the prefix `__Host-`, which binds them to this host: where
 * `BASE_URL` is https. Over http, browsers would drop that cookie, except at some addresses of the same machine, and
 * sign-in has to work at localhost, 127.0.0.1 and inside a private network.
 */
export function areSecure(): boolean {
  return env().baseUrl.startsWith('https:')
}

/** Returns the name of a cookie in a browser. */
export function cookieName(cookie: Cookie): string {
  return areSecure() ? `__Host-${NAMES[cookie]}` : NAMES[cookie]
}

/** Returns the value of a cookie in a request's header. */
export function cookieValue(header: string, cookie: Cookie): string | undefined {
  const name = cookieName(cookie)
  for (const part of header.split(';')) {
    const cut = part.indexOf('=')
    if (part.slice(0, cut).trim() === name) return part.slice(cut + 1).trim()
  }
  return undefined
}

/**
 * Returns the Set-Cookie header of a cookie that scripts can't read (HttpOnly).
 * @param seconds until the browser forgets the cookie; 0 deletes it
 */
export function setCookie(cookie: Cookie, value: string, seconds: number): string {
  const secure = areSecure() ? '; Secure' : ''
  return `${cookieName(cookie)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`
}
