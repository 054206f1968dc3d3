import 'server-only'
import { and, asc, eq, inArray, or, type SQL, sql } from 'drizzle-orm'
import type { Caller } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { apiKeys, members } from '#lib/platform/db/schema/customers.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { requireFresh } from '../fresh-sign-ins/require-fresh.ts'
import { callerNow } from './caller-now.ts'

export type Locks = {
  /** Locks what is changed and comes before the caller's own member: other members. */
  before?: (tx: Transaction) => Promise<unknown>
  /** Ids of the keys that are changed, or finds them. */
  keys?: readonly string[] | ((tx: Transaction) => Promise<readonly string[]>)
  evenIfClosed?: boolean
}

/**
 * `scope` for whatever gives or takes authority: changes of members and keys. It asks for a fresh sign-in, and hands the caller on
 * as they are now and stay until the transaction ends: whoever shuts them out, ends their session or key, or takes a role
 * from them meanwhile, comes either before it or after it.
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
 * The same inside of a transaction that is open already, as of one that changes a person at several customers: the caller as
 * they are now and stay.
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

/** Their member: of a session its own, of a key its issuer, unless it is the customer's. */
async function lockMemberOf(tx: Transaction, { via, customerId, id }: Caller): Promise<void> {
  const its: Partial<Record<Caller['via'], SQL>> = {
    session: eq(members.id, id),
    key: sql`${members.id} = (SELECT k.issued_by FROM api_keys k
      WHERE k.customer_id = ${customerId} AND k.id = ${id} AND NOT k.belongs_to_customer)`,
  }
  if (!its[via]) return
  const own = and(eq(members.customerId, customerId), its[via])
  await tx.select({ id: members.id }).from(members).where(own).for('no key update')
}

/** These and the one that asks, in one order: two keys that end each other wait, and never in a circle. */
async function lockKeys(tx: Transaction, { via, customerId, id }: Caller, keys: readonly string[]) {
  const which = or(inArray(apiKeys.id, [...keys]), via === 'key' ? eq(apiKeys.id, id) : undefined)
  await tx
    .select({ id: apiKeys.id })
    .from(apiKeys)
    .where(and(eq(apiKeys.customerId, customerId), which))
    .orderBy(asc(apiKeys.id))
    .for('no key update')
}
