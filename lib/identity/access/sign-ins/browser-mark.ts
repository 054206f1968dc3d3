import 'server-only'
import { randomBytes } from 'node:crypto'
import { digestOf } from '#lib/platform/caller/api-key.ts'
import { cookieName, cookieValue } from '#lib/platform/caller/session-cookie.ts'
import { isSigned, sign } from '#lib/platform/runtime/secrets.ts'

// A browser keeps a mark of ours once somebody has signed in with it. In the database its digest stands with each account
// that signed in there: a mark alone opens nothing, and an account that forgets it knows it no more.

/** Browsers keep no cookie for longer. */
const KEPT_SECONDS = 400 * 24 * 60 * 60
const MARK = 'console-browser'

const PURPOSE = 'marks of browsers'

/** The mark that a request brings, where it is one that we have made: nobody can bring a browser to name one of theirs. */
export function markOf(cookies: string): string | undefined {
  const [id = '', given = '', ...more] = (cookieValue(cookies, cookieName(MARK)) ?? '').split('.')
  return more.length === 0 && isSigned(given, PURPOSE, id) ? `${id}.${given}` : undefined
}

/** A mark for a browser that has none. */
export function newMark(): string {
  const id = randomBytes(32).toString('base64url')
  return `${id}.${sign(PURPOSE, id).toString('base64url')}`
}

/** What is stored of a mark. */
export function digestOfMark(mark: string): string {
  return digestOf(`mark ${mark}`)
}

/** The header Set-Cookie that leaves a mark in a browser, where no script can read it. */
export function markCookie(mark: string): string {
  const name = cookieName(MARK)
  const secure = name === MARK ? '' : '; Secure'
  return `${name}=${mark}; Path=/; Max-Age=${KEPT_SECONDS}; HttpOnly; SameSite=Lax${secure}`
}
