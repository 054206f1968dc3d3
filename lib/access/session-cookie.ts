import 'server-only'
import { decode } from 'next-auth/jwt'
import { env } from '#lib/env.ts'
import { noteCaller } from '#lib/history/visit.ts'
import { keptSecret } from '#lib/secrets.ts'
import { digestOf } from './api-key.ts'
import type { Caller } from './rules.ts'
import { findSessionCaller } from './session.ts'

/** Over https the cookies are Secure and bound to this very host. */
export function cookieName(name: string): string {
  return env().baseUrl.startsWith('https:') ? `__Host-${name}` : name
}

/**
 * The signed-in caller of a request, or of the page that is being rendered. The cookie holds an
 * encrypted session id and nothing else; the record behind it is read on each request.
 */
export async function session(headers: { get(name: string): string | null }): Promise<Caller | undefined> {
  const token = cookieValue(headers.get('cookie') ?? '', cookieName('console-session'))
  if (!token) return undefined
  const claims = await decode({ token, secret: sessionSecret() }).catch(() => null)
  const caller = typeof claims?.sid === 'string' ? await findSessionCaller(digestOf(claims.sid)) : undefined
  if (caller) noteCaller(caller.id, caller.session)
  return caller
}

/** The key that encrypts session cookies. */
export function sessionSecret(): string {
  return keptSecret('session')
}

/** The value of a cookie in a request's header. */
export function cookieValue(header: string, name: string): string | undefined {
  for (const part of header.split(';')) {
    const cut = part.indexOf('=')
    if (part.slice(0, cut).trim() === name) return part.slice(cut + 1).trim()
  }
  return undefined
}
