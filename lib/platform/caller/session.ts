import 'server-only'
import { randomBytes } from 'node:crypto'
import { and, eq, inArray, type SQL, sql } from 'drizzle-orm'
import { decode, encode, type JWT, type JWTDecodeParams } from 'next-auth/jwt'
import { database, type Transaction } from '#lib/platform/db/client.ts'
import { sessions } from '#lib/platform/db/schema/access/sign-ins.ts'
import { members } from '#lib/platform/db/schema/customers.ts'
import { noteCaller } from '#lib/platform/runtime/log.ts'
import { installationSecret } from '#lib/platform/runtime/secrets.ts'
import { cookieValue, setCookie } from './cookies.ts'
import { addToCredentialIndex, digestOf, findRow, removeFromCredentialIndex } from './credentials.ts'
import { type Caller, type CustomerId, IDLE_SECONDS } from './rules.ts'
import {
  type CallerRow,
  DATA_VERSION,
  isNotDeleted,
  queryWithoutCustomerPipelined,
  verifiedCaller,
  visibleProfiles,
} from './store.ts'

/**
 * Returns the signed-in caller of a request, or of the page that is being rendered. The cookie holds only an encrypted
 * session id; the session's row is read on each request.
 */
export async function session(headers: { get(name: string): string | null }): Promise<Caller | undefined> {
  const digest = await sessionDigest(headers)
  const caller = digest === undefined ? undefined : await findSessionCaller(digest)
  if (caller) noteCaller(caller)
  return caller
}

/**
 * Returns the digest of the session id in a request's cookie; undefined without a valid cookie. Does not check whether
 * the session is still live.
 */
export async function sessionDigest(headers: {
  get(name: string): string | null
}): Promise<string | undefined> {
  const token = cookieValue(headers.get('cookie') ?? '', 'session')
  if (!token) return undefined
  const claims = await readToken({ token, secret: sessionSecret() }).catch(() => null)
  return typeof claims?.sid === 'string' ? digestOf(claims.sid) : undefined
}

/**
 * Returns the header Set-Cookie that stores a session's id in a browser, like next-auth after a sign-in with a
 * password.
 */
export async function sessionCookie(sid: string): Promise<string> {
  const token = await encode({ token: { sid }, secret: sessionSecret(), maxAge: SESSION_SECONDS })
  return setCookie('session', token, SESSION_SECONDS)
}

/** Protected header of every session token: AES-256-GCM under the single key. */
const OURS = `${Buffer.from('{"alg":"dir","enc":"A256GCM"}').toString('base64url')}..`

/**
 * Decrypts a session cookie; null for a token with another header. A token names its algorithm itself: other algorithms
 * are not tried, since some (PBES2) let the sender choose how long decryption takes.
 * @throws Error for a token that was changed, has expired, or belongs to another secret
 */
export async function readToken({ token, secret }: JWTDecodeParams): Promise<JWT | null> {
  return token?.startsWith(OURS) ? decode({ token, secret }) : null
}

/** Returns the key that encrypts session cookies. */
export function sessionSecret(): string {
  return installationSecret('session')
}

/** Returns the id of a new session. Each sign-in opens one, so that no id from before it is signed in (session fixation). */
export function newSessionId(): string {
  return randomBytes(32).toString('base64url')
}

/** Seconds after sign-in at which a session ends, even if it is in use; `IDLE_SECONDS` ends an unused one. */
export const SESSION_SECONDS = 8 * 60 * 60

/**
 * Seconds after an authentication within which a session may change keys and members without another one:
 * lib/identity/access/authority.ts checks it.
 */
export const FRESH_SECONDS = 10 * 60

/**
 * Returns the SQL condition that a session has not expired.
 * @param session alias of a row of `sessions`
 */
export function isLive(session: string): string {
  return `(${session}.last_seen_at > now() - interval '${IDLE_SECONDS} seconds'
    AND ${session}.created_at > now() - interval '${SESSION_SECONDS} seconds')`
}

/**
 * Query for the callers of the customer `$1`'s live sessions. Each table is filtered by customer, so that all are on
 * one node.
 */
export const SESSION_CALLERS = `
  SELECT s.customer_id, c.name AS customer_name, c.domain AS customer_domain, m.id, m.name, m.email, m.roles,
    ${visibleProfiles('m.billing_profiles')} AS billing_profiles,
    s.last_seen_at < now() - interval '1 minute' AS stale,
    extract(epoch FROM now() - coalesce(s.proven_at, s.created_at))::float8 AS proven_seconds_ago,
    c.closed_at, c.gone_at, ${DATA_VERSION}
  FROM sessions s
  JOIN members m ON m.customer_id = s.customer_id AND m.id = s.member_id
  JOIN customers c ON c.id = s.customer_id
  WHERE s.customer_id = $1 AND m.customer_id = $1 AND c.id = $1
    AND m.disabled_at IS NULL AND ${isLive('s')} AND ${isNotDeleted('c')}`

const SESSION_CALLER = `${SESSION_CALLERS} AND s.digest = $2`

// A member's parallel requests do not wait for one row, on connections that find every member's session.
const SEEN = `
  UPDATE sessions SET last_seen_at = now() WHERE customer_id = $1 AND (customer_id, digest) IN
    (SELECT customer_id, digest FROM sessions WHERE customer_id = $1 AND digest = $2 FOR NO KEY UPDATE SKIP LOCKED)`

/** Returns the caller of a session's digest, while the session is live. */
export async function findSessionCaller(digest: string): Promise<Caller | undefined> {
  const { sessions: pool } = database()
  const row = await findRow('session', digest, async ({ customerId }) => {
    const rows = await queryWithoutCustomerPipelined<CallerRow>(pool, SESSION_CALLER, [customerId, digest])
    return rows[0]
  })
  if (row?.stale) await pool.query(SEEN, [row.customer_id, digest])
  return row && callerIn(row, digest)
}

/** Returns the caller for a row of `SESSION_CALLERS`. */
export function callerIn(row: CallerRow, session: string): Caller {
  const { proven_seconds_ago: verifiedSecondsAgo = Number.POSITIVE_INFINITY } = row
  return { ...verifiedCaller(row, 'session'), session, verifiedSecondsAgo }
}

/** Values recorded when a session is opened. */
export type Opened = {
  digest: string
  address: string
  userAgent: string
  browser: string
  proof?: string
  proven?: string[]
  /** Time from which the session's end is counted: a change of customer does not prolong a sign-in. */
  since?: Date | undefined
}

/** Adds a session after a sign-in, and deletes the member's ended ones. */
export async function addSession(
  tx: Transaction,
  customerId: CustomerId,
  memberId: string,
  { userAgent, since, ...opened }: Opened,
) {
  const memberSessions = and(eq(sessions.customerId, customerId), eq(sessions.memberId, memberId))
  await drop(tx, customerId, and(memberSessions, sql`NOT ${sql.raw(isLive('sessions'))}`))
  await addToCredentialIndex(tx, customerId, 'session', { digest: opened.digest, id: opened.digest })
  // A user agent may be any text of any length.
  await tx.insert(sessions).values({
    customerId,
    memberId,
    userAgent: userAgent.slice(0, MAX_AGENT_LENGTH),
    ...opened,
    ...(since ? { createdAt: since } : {}),
  })
  await tx
    .update(members)
    .set({ lastSignInAt: sql`now()` })
    .where(and(eq(members.customerId, customerId), eq(members.id, memberId)))
}

const MAX_AGENT_LENGTH = 500

/**
 * Records that the session's member has verified their identity by a new password, which from now on is the one that
 * opened the session.
 */
export async function reauthenticate(
  tx: Transaction,
  customerId: CustomerId,
  digest: string,
  evidence: string,
) {
  const sessionFilter = and(eq(sessions.customerId, customerId), eq(sessions.digest, digest))
  await tx.update(sessions).set({ proof: evidence }).where(sessionFilter)
}

/** Ends a session; idempotent. */
export async function endSession(tx: Transaction, customerId: CustomerId, digest: string) {
  await endSessions(tx, customerId, eq(sessions.digest, digest))
}

/** Ends the customer's sessions for which the condition holds. Each member's last activity is kept. */
export async function endSessions(tx: Transaction, customerId: CustomerId, which: SQL | undefined) {
  const customerSessions = and(eq(sessions.customerId, customerId), which)
  const ended = tx.select({ id: sessions.memberId }).from(sessions).where(customerSessions)
  // Lock order: members before sessions, as where a password is set.
  await tx
    .update(members)
    .set({ lastSeenAt: sql`now()` })
    .where(and(eq(members.customerId, customerId), inArray(members.id, ended)))
  await drop(tx, customerId, customerSessions)
}

async function drop(tx: Transaction, customerId: CustomerId, which: SQL | undefined) {
  const deleted = await tx.delete(sessions).where(which).returning({ digest: sessions.digest })
  const digests = deleted.map(({ digest }) => digest)
  await removeFromCredentialIndex(tx, customerId, 'session', digests)
}

/**
 * Removes the customer's expired sessions. Each member's last activity is kept. Locks members in the order of their
 * ids, as all changes of members do.
 * @returns the number of removed sessions
 */
export async function pruneSessions(tx: Transaction, customerId: CustomerId): Promise<number> {
  const { rows } = await tx.execute<{ digest: string }>(sql`
    WITH seen AS (
      SELECT member_id, max(last_seen_at) AS at FROM sessions
      WHERE customer_id = ${customerId} AND NOT ${sql.raw(isLive('sessions'))} GROUP BY member_id
    ), held AS MATERIALIZED (
      SELECT m.id, seen.at FROM members m JOIN seen ON m.id = seen.member_id
      WHERE m.customer_id = ${customerId} ORDER BY m.id FOR NO KEY UPDATE OF m
    ), kept AS (
      UPDATE members m SET last_seen_at = greatest(m.last_seen_at, held.at) FROM held
      WHERE m.customer_id = ${customerId} AND m.id = held.id
    )
    DELETE FROM sessions WHERE customer_id = ${customerId} AND NOT ${sql.raw(isLive('sessions'))} RETURNING digest`)
  const digests = rows.map(({ digest }) => digest)
  await removeFromCredentialIndex(tx, customerId, 'session', digests)
  return rows.length
}
