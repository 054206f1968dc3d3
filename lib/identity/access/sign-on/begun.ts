import 'server-only'
import { createHash, randomBytes } from 'node:crypto'
import { digestOf } from '#lib/platform/caller/api-key.ts'
import { cookieName, cookieValue } from '#lib/platform/caller/session-cookie.ts'
import { database } from '#lib/platform/db/client.ts'

// Between the way to an issuer and the way back stands a row for a short time, and in the browser a cookie of its own.
// What the issuer is to give back follows from the cookie: so a way back that another browser began fits nothing.

const COOKIE = 'console-sign-on'
const SECONDS = 10 * 60

/** What a browser and its row say together. */
export type Begun = {
  providerId: string
  returnTo: string
  /** The member who has to prove anew that it is they; null: somebody signs in. */
  freshMember: string | null
  /** In milliseconds. */
  since: number
}

/** The secrets of one way to an issuer and back. */
export function secretsOf(id: string) {
  const of = (use: string) => createHash('sha256').update(`${use} ${id}`).digest('base64url')
  return { state: of('state'), nonce: of('nonce'), verifier: of('verifier') }
}

/** Keeps that somebody is sent to an issuer. @returns the id for the browser's cookie */
export async function addBegun(given: Omit<Begun, 'since'>): Promise<string> {
  const id = randomBytes(32).toString('base64url')
  await database().signIn.query(
    'INSERT INTO begun_sign_ons (digest, provider_id, return_to, fresh_member) VALUES ($1, $2, $3, $4)',
    [digestOf(`sign-on ${id}`), given.providerId, given.returnTo, given.freshMember],
  )
  return id
}

/** The id that a request's cookie holds. */
export function begunIdOf(cookies: string): string | undefined {
  return cookieValue(cookies, cookieName(COOKIE)) || undefined
}

/** Takes what was begun, once: of two who come back with it at the same moment, one finds it. */
export async function takeBegun(id: string): Promise<Begun | undefined> {
  const { rows } = await database().signIn.query<Begun>(
    `DELETE FROM begun_sign_ons WHERE digest = $1 AND created_at > now() - interval '${SECONDS} seconds'
     RETURNING provider_id AS "providerId", return_to AS "returnTo", fresh_member AS "freshMember",
       (extract(epoch FROM created_at) * 1000)::float8 AS since`,
    [digestOf(`sign-on ${id}`)],
  )
  return rows[0]
}

/** Removes those who have not come back. @returns how many */
export async function pruneBegun(): Promise<number> {
  const old = `DELETE FROM begun_sign_ons WHERE created_at < now() - interval '${SECONDS} seconds'`
  return (await database().signIn.query(old)).rowCount ?? 0
}

/** The header Set-Cookie that leaves the id in a browser, or takes it away. */
export function begunCookie(id: string | undefined): string {
  const name = cookieName(COOKIE)
  const secure = name === COOKIE ? '' : '; Secure'
  const life = id === undefined ? 0 : SECONDS
  return `${name}=${id ?? ''}; Path=/; Max-Age=${life}; HttpOnly; SameSite=Lax${secure}`
}
