import 'server-only'
import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { decode } from 'next-auth/jwt'
import { env } from '#lib/env.ts'
import { noteCaller } from '#lib/history/visit.ts'
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

let secret: string | undefined

/**
 * The key that encrypts session cookies: SESSION_SECRET, else made once into DATA_DIR. Several web
 * processes share one, so it has to be given where DATABASE_URL is.
 * @throws Error where it has to be given and is not
 */
export function sessionSecret(): string {
  secret ??= env().sessionSecret ?? ownSecret()
  return secret
}

function ownSecret(): string {
  const { dataDir, databaseUrl } = env()
  if (databaseUrl) throw new Error('Set SESSION_SECRET (32 characters or more) where DATABASE_URL is set.')
  const file = join(dataDir, 'session-secret')
  mkdirSync(dataDir, { recursive: true })
  try {
    writeFileSync(file, randomBytes(32).toString('base64url'), { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if ((error as { code?: string }).code !== 'EEXIST') throw error
  }
  return readFileSync(file, 'utf8')
}

/** The value of a cookie in a request's header. */
export function cookieValue(header: string, name: string): string | undefined {
  for (const part of header.split(';')) {
    const cut = part.indexOf('=')
    if (part.slice(0, cut).trim() === name) return part.slice(cut + 1).trim()
  }
  return undefined
}
