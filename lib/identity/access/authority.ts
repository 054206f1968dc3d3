import 'server-only'
import { and, asc, eq, inArray, or, type SQL, sql } from 'drizzle-orm'
import { Problem } from '#lib/platform/api/problem.ts'
import { KEY_CALLERS } from '#lib/platform/caller/authenticate.ts'
import type { Caller, CustomerId } from '#lib/platform/caller/rules.ts'
import { callerIn, FRESH_SECONDS, SESSION_CALLERS } from '#lib/platform/caller/session.ts'
import { type CallerRow, verifiedCaller } from '#lib/platform/caller/store.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { apiKeys, members } from '#lib/platform/db/schema/customers.ts'
import { scope } from '#lib/platform/db/scope.ts'

export type Locks = {
  /** Locks the changed members, whose rows are locked before the caller's own member. */
  before?: (tx: Transaction) => Promise<unknown>
  /** Ids of the changed keys, or a function that finds them. */
  keys?: readonly string[] | ((tx: Transaction) => Promise<readonly string[]>)
  evenIfClosed?: boolean
}

/**
 * Runs `scope` for changes of members and keys. Requires a fresh sign-in, locks the caller's member and keys, and
 * passes the caller's current roles: a concurrent removal of the member, session, key or role commits either before
 * this transaction or after it.
 * @throws Problem `fresh_sign_in_required`; `unauthenticated` as `callerNow` does
 */
export function scopeOfAuthority<T>(
  caller: Caller,
  run: (tx: Transaction, now: Caller) => Promise<T>,
  { before, keys, evenIfClosed = false }: Locks = {},
): Promise<T> {
  requireFresh(caller)
  const work = async (tx: Transaction) => run(tx, await authorityIn(tx, caller, { before, keys }))
  return scope(caller, work, { evenIfClosed })
}

/**
 * Like `scopeOfAuthority`, but within an open transaction, such as one that changes a person at several customers.
 * Returns the caller with their current roles, locked until the transaction ends.
 * @throws Problem `unauthenticated` as `callerNow` does
 */
export async function authorityIn(
  tx: Transaction,
  caller: Caller,
  { before, keys = [] }: Omit<Locks, 'evenIfClosed'> = {},
): Promise<Caller> {
  await before?.(tx)
  await lockMemberOf(tx, caller)
  await lockKeys(tx, caller, typeof keys === 'function' ? await keys(tx) : keys)
  return callerNow(tx, caller)
}

/** Locks the caller's member: that of the session, or the issuer of the key, unless the key belongs to the customer. */
async function lockMemberOf(tx: Transaction, { via, customerId, id }: Caller): Promise<void> {
  const its: Partial<Record<Caller['via'], SQL>> = {
    session: eq(members.id, id),
    key: sql`${members.id} = (SELECT k.issued_by FROM api_keys k
      WHERE k.customer_id = ${customerId} AND k.id = ${id} AND NOT k.belongs_to_customer)`,
  }
  if (!its[via]) return
  const memberFilter = and(eq(members.customerId, customerId), its[via])
  await tx.select({ id: members.id }).from(members).where(memberFilter).for('no key update')
}

/**
 * Locks these keys and the caller's own key by ascending id, so that two keys that revoke each other wait without a
 * deadlock.
 */
async function lockKeys(tx: Transaction, { via, customerId, id }: Caller, keys: readonly string[]) {
  const which = or(inArray(apiKeys.id, [...keys]), via === 'key' ? eq(apiKeys.id, id) : undefined)
  await tx
    .select({ id: apiKeys.id })
    .from(apiKeys)
    .where(and(eq(apiKeys.customerId, customerId), which))
    .orderBy(asc(apiKeys.id))
    .for('no key update')
}

/**
 * Requires a signed-in member, so that a stolen API key can't create further access (persistence).
 * @param what subject of the error message: "To invite somebody"
 * @throws Problem `permission_denied` for an API key
 */
export function requirePerson({ via }: Pick<Caller, 'via'>, what: string): void {
  if (via !== 'key') return
  throw new Problem(
    'permission_denied',
    `${what} requires a signed-in member. An API key cannot grant access, so a stolen key is useless once it ends.`,
  )
}

/**
 * Requires a fresh sign-in before a change of keys or members.
 * @throws Problem `fresh_sign_in_required`, where a session's member last authenticated too long ago; the console asks
 * the member to   confirm their identity, and repeats the request
 */
export function requireFresh(caller: Caller): void {
  if (isFresh(caller)) return
  throw new Problem(
    'fresh_sign_in_required',
    'This session was opened, or confirmed, more than 10 minutes ago. Confirm that it is you, then ask again.',
  )
}

/**
 * Returns whether the caller may change keys and members without confirming their identity. An unattended session must
 * confirm; API keys and the command line can't, and other rules limit their changes.
 */
export function isFresh({ via, verifiedSecondsAgo }: Pick<Caller, 'via' | 'verifiedSecondsAgo'>): boolean {
  return via !== 'session' || (verifiedSecondsAgo !== undefined && verifiedSecondsAgo < FRESH_SECONDS)
}

/**
 * Reads the caller's current state with the queries that authenticated the request: roles and billing profiles removed
 * since then are missing. Operators and directories are returned unchanged.
 * @throws Problem `unauthenticated` where the session or key has ended since, or its member was disabled
 */
async function callerNow(tx: Transaction, caller: Caller): Promise<Caller> {
  const { via, customerId, id, session } = caller
  if (via === 'session' && session !== undefined) {
    const row = await only(tx, customerId, SESSION_CALLERS, sql`s.digest = ${session}`)
    return callerIn(row, session)
  }
  if (via !== 'key') return caller
  return verifiedCaller(await only(tx, customerId, KEY_CALLERS, sql`k.id = ${id}`), 'key')
}

async function only(
  tx: Transaction,
  customerId: CustomerId,
  callers: string,
  which: SQL,
): Promise<CallerRow> {
  const parts = callers.split('$1').map((part) => sql.raw(part))
  const { rows } = await tx.execute<CallerRow>(sql`${sql.join(parts, sql`${customerId}`)} AND ${which}`)
  const [row] = rows
  if (row) return { ...row, closed_at: dateOf(row.closed_at), gone_at: dateOf(row.gone_at) }
  throw new Problem('unauthenticated', 'What this request was signed in with has ended meanwhile.', {
    headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
  })
}

/** Converts a time, which drizzle returns in PostgreSQL's format for raw statements. */
function dateOf(time: Date | string | null): Date | null {
  return time === null ? null : new Date(time)
}
