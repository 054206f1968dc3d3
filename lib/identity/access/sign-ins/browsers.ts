import 'server-only'
import { randomBytes } from 'node:crypto'
import { and, eq, inArray, ne, type SQL, sql } from 'drizzle-orm'
import { cookieValue, setCookie } from '#lib/platform/caller/cookies.ts'
import { digestOf } from '#lib/platform/caller/credentials.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { knownBrowsers, sessions } from '#lib/platform/db/schema/access/sign-ins.ts'
import { isSigned, sign } from '#lib/platform/runtime/secrets.ts'

/**
 * Adds the browser to the known browsers of the member's account.
 * @returns whether it is new
 */
export async function knowBrowser(
  tx: Transaction,
  customerId: CustomerId,
  memberId: string,
  digest: string,
): Promise<boolean> {
  const seen = await tx
    .update(knownBrowsers)
    .set({ lastSignInAt: sql`now()` })
    .where(and(ofMember(customerId, memberId), eq(knownBrowsers.digest, digest)))
  if ((seen.rowCount ?? 0) > 0) return false
  await tx.insert(knownBrowsers).values({ customerId, memberId, digest }).onConflictDoNothing()
  return true
}

/** Forgets all known browsers of the member's account, except for that of the session `exceptSession`. */
export async function forgetBrowsers(
  tx: Transaction,
  customerId: CustomerId,
  memberId: string,
  exceptSession: string,
): Promise<void> {
  const { browser } = sessions
  const currentBrowser = tx
    .select({ browser: sql`coalesce(${browser}, '')` })
    .from(sessions)
    .where(and(eq(sessions.customerId, customerId), eq(sessions.digest, exceptSession)))
  await tx
    .delete(knownBrowsers)
    .where(
      and(ofMember(customerId, memberId), ne(knownBrowsers.digest, sql`coalesce((${currentBrowser}), '')`)),
    )
}

/** Forgets the browsers of the customer's sessions that match the condition. */
export async function forgetBrowsersOf(
  tx: Transaction,
  customerId: CustomerId,
  which: SQL | undefined,
): Promise<void> {
  const { memberId, browser } = sessions
  const pairs = tx
    .select({ memberId, browser })
    .from(sessions)
    .where(and(eq(sessions.customerId, customerId), which))
  await tx
    .delete(knownBrowsers)
    .where(
      and(
        eq(knownBrowsers.customerId, customerId),
        inArray(sql`(${knownBrowsers.memberId}, ${knownBrowsers.digest})`, pairs),
      ),
    )
}

function ofMember(customerId: CustomerId, memberId: string): SQL | undefined {
  return and(eq(knownBrowsers.customerId, customerId), eq(knownBrowsers.memberId, memberId))
}

/** Time after its last sign-in until a browser counts as new. Equals the lifetime of the device cookie. */
const RETENTION = sql`interval '400 days'`

/**
 * Forgets the customer's browsers whose last sign-in is longer ago than the retention.
 * @returns how many
 */
export async function pruneBrowsers(tx: Transaction, customerId: CustomerId): Promise<number> {
  const isOld = sql`${knownBrowsers.lastSignInAt} < now() - ${RETENTION}`
  const { rowCount } = await tx
    .delete(knownBrowsers)
    .where(and(eq(knownBrowsers.customerId, customerId), isOld))
  return rowCount ?? 0
}

// A browser gets a device cookie at its first sign-in. Its digest is stored with each account that signed in there: the
// cookie by itself opens nothing, and is worthless for an account that has forgotten it.

/** Longest lifetime of a cookie that browsers accept, in seconds. */
const COOKIE_SECONDS = 400 * 24 * 60 * 60

const PURPOSE = 'marks of browsers'

/**
 * Returns the device cookie of a request, where its signature is ours: an attacker can't plant a value of their own.
 */
export function deviceCookieOf(cookies: string): string | undefined {
  const [id = '', signature = '', ...more] = (cookieValue(cookies, 'browser') ?? '').split('.')
  return more.length === 0 && isSigned(signature, PURPOSE, id) ? `${id}.${signature}` : undefined
}

/** Makes a device cookie for a browser without one. */
export function newDeviceCookie(): string {
  const id = randomBytes(32).toString('base64url')
  return `${id}.${sign(PURPOSE, id).toString('base64url')}`
}

/** Returns the digest to store for a device cookie. */
export function digestOfDeviceCookie(deviceCookie: string): string {
  return digestOf(`mark ${deviceCookie}`)
}

/** Returns the Set-Cookie header of a device cookie. */
export function setDeviceCookie(deviceCookie: string): string {
  return setCookie('browser', deviceCookie, COOKIE_SECONDS)
}
