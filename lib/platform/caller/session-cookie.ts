import 'server-only'
import { decode, encode, type JWT, type JWTDecodeParams } from 'next-auth/jwt'
import { env } from '#lib/platform/runtime/env.ts'
import { noteCaller } from '#lib/platform/runtime/log.ts'
import { keptSecret } from '#lib/platform/runtime/secrets.ts'
import { digestOf } from './api-key.ts'
import type { Caller } from './rules.ts'
import { findSessionCaller, SESSION_SECONDS } from './session.ts'

const SESSION = 'console-session'

/** Over https the cookies are Secure and bound to this very host. */
export function cookieName(name: string): string {
  return env().baseUrl.startsWith('https:') ? `__Host-${name}` : name
}

/**
 * The signed-in caller of a request, or of the page that is being rendered. The cookie holds an
 * encrypted session id and nothing else; the record behind it is read on each request.
 */
export async function session(headers: { get(name: string): string | null }): Promise<Caller | undefined> {
  const digest = await sessionDigest(headers)
  const caller = digest === undefined ? undefined : await findSessionCaller(digest)
  if (caller) noteCaller(caller)
  return caller
}

/**
 * The digest of the session's id that a request's cookie holds; undefined where it holds none that we gave. Whether the
 * session still lives is not asked.
 */
export async function sessionDigest(headers: {
  get(name: string): string | null
}): Promise<string | undefined> {
  const token = cookieValue(headers.get('cookie') ?? '', cookieName(SESSION))
  if (!token) return undefined
  const claims = await readToken({ token, secret: sessionSecret() }).catch(() => null)
  return typeof claims?.sid === 'string' ? digestOf(claims.sid) : undefined
}

/** The header Set-Cookie that leaves a session's id in a browser, as next-auth does after a sign-in with a password. */
export async function sessionCookie(sid: string): Promise<string> {
  const name = cookieName(SESSION)
  const token = await encode({ token: { sid }, secret: sessionSecret(), maxAge: SESSION_SECONDS })
  const secure = name === SESSION ? '' : '; Secure'
  return `${name}=${token}; Path=/; Max-Age=${SESSION_SECONDS}; HttpOnly; SameSite=Lax${secure}`
}

/** How each token of ours begins: AES-256-GCM under the one key. */
const OURS = `${Buffer.from('{"alg":"dir","enc":"A256GCM"}').toString('base64url')}..`

/**
 * What a session cookie holds; null where it can't be one of ours. A token names its algorithm itself: any other is not
 * even tried, for some of them let whoever sends it choose how long that takes.
 * @throws Error for one that was changed, has ended, or is of another secret
 */
export async function readToken({ token, secret }: JWTDecodeParams): Promise<JWT | null> {
  return token?.startsWith(OURS) ? decode({ token, secret }) : null
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
