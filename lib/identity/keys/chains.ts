import 'server-only'
import { and, asc, eq, inArray, isNull, sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { apiKeys } from '#lib/platform/db/schema/customers.ts'
import { type Actor, recordAudit } from '#lib/platform/history/audit.ts'
import { isWithin, type KeyScope } from './rules.ts'
import { type KeyRow, rows } from './store.ts'

/** The ids of a key and of all that follow it by rotation, in that order. */
export async function idsOfChain(tx: Transaction, customerId: CustomerId, first: string): Promise<string[]> {
  const { rows: members } = await tx.execute<{ id: string }>(sql`
    WITH RECURSIVE chain AS (
      SELECT id, replaced_by, 0 AS place FROM api_keys WHERE customer_id = ${customerId} AND id = ${first}
      UNION ALL SELECT k.id, k.replaced_by, chain.place + 1 FROM chain
      JOIN api_keys k ON k.customer_id = ${customerId} AND k.id = chain.replaced_by)
    SELECT id FROM chain ORDER BY place`)
  return members.map(({ id }) => id)
}

/** Keeps keys as they are until the transaction ends: in the order of their ids, as whoever locks several does. */
async function lockKeys(tx: Transaction, customerId: CustomerId, ids: readonly string[]) {
  await tx
    .select({ id: apiKeys.id })
    .from(apiKeys)
    .where(and(eq(apiKeys.customerId, customerId), inArray(apiKeys.id, [...ids])))
    .orderBy(asc(apiKeys.id))
    .for('no key update')
}

/** A key and all that follow it, locked until the transaction ends: whoever rotates one of them comes before or after. */
async function lockChain(tx: Transaction, customerId: CustomerId, first: string): Promise<KeyRow[]> {
  let [locked, ids]: [number, string[]] = [0, await idsOfChain(tx, customerId, first)]
  while (ids.length > locked) {
    await lockKeys(tx, customerId, ids.slice(locked))
    locked = ids.length
    // The last one may have been rotated before it was locked.
    ids = await idsOfChain(tx, customerId, first)
  }
  const keys = await rows(tx, and(eq(apiKeys.customerId, customerId), inArray(apiKeys.id, ids)))
  const byId = new Map(keys.map((key) => [key.id, key]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

/**
 * The ids of those keys that rotated themselves. Of one that was rotated by a release that did not write down who asked for it,
 * the history says it.
 */
export async function rotatedThemselves(
  tx: Transaction,
  customerId: CustomerId,
  chain: readonly KeyRow[],
): Promise<Set<string>> {
  const rotated = chain.filter(({ replacedBy }) => replacedBy !== null)
  const themselves = rotated.filter(({ replacedByPerson }) => replacedByPerson === false).map(({ id }) => id)
  const unknown = rotated.filter(({ replacedByPerson }) => replacedByPerson === null).map(({ id }) => id)
  return new Set([
    ...themselves,
    ...(unknown.length > 0 ? await findSelfRotated(tx, customerId, unknown) : []),
  ])
}

/**
 * Those of some keys of which the history says that they rotated themselves. It was written in the transaction that made the next
 * key, which says when that was: the history is found by its time, and not read from there to its end.
 */
async function findSelfRotated(
  tx: Transaction,
  customerId: CustomerId,
  ids: readonly string[],
): Promise<string[]> {
  const { rows: made } = await tx.execute<{ id: string; at: string }>(sql`
    SELECT k.id, next.created_at::text AS at FROM api_keys k
    JOIN api_keys next ON next.customer_id = ${customerId} AND next.id = k.replaced_by
    WHERE k.customer_id = ${customerId} AND k.id = ANY(${sql.param([...ids])}::text[])`)
  if (made.length === 0) return []
  // By a statement of its own: keys and the history may lie on different machines.
  const { rows: matches } = await tx.execute<{ id: string }>(sql`
    SELECT k.id FROM unnest(${sql.param(made.map(({ id }) => id))}::text[], ${sql.param(made.map(({ at }) => at))}::timestamptz[]) AS k (id, at)
    CROSS JOIN LATERAL (SELECT FROM audit_events e
      WHERE e.customer_id = ${customerId} AND e.at BETWEEN k.at AND k.at + interval '1 minute'
        AND e.subject = k.id AND e.action = 'key.rotated' AND e.actor_kind = 'key' LIMIT 1) said`)
  return matches.map(({ id }) => id)
}

/** How often in the last hour a key, or one before it, rotated itself until there was this one; no more than `most`. */
export async function countSelfRotations(
  tx: Transaction,
  customerId: CustomerId,
  last: string,
  most: number,
): Promise<number> {
  const { rows: counts } = await tx.execute<{ count: number }>(sql`
    WITH RECURSIVE chain AS (
      SELECT id, created_at, 0 AS place FROM api_keys WHERE customer_id = ${customerId} AND id = ${last}
      UNION ALL SELECT k.id, k.created_at, chain.place + 1 FROM chain
      JOIN api_keys k ON k.customer_id = ${customerId} AND k.replaced_by = chain.id AND k.replaced_by_person IS FALSE
      WHERE chain.place < ${most}::int AND chain.created_at > now() - interval '1 hour')
    SELECT max(place) AS count FROM chain`)
  return counts[0]?.count ?? 0
}

type Revocation = {
  action: 'key.revoked' | 'key.leaked'
  actor: Actor
  requestId: string
  /** Says of which keys the one that follows by rotation ends, too. */
  follows: (chain: readonly KeyRow[]) => Promise<Set<string>> | Set<string>
  /** The keys that may end with it. */
  within?: KeyScope
}

/** What has become of a key and those that follow it. */
type Revoked = {
  /** How many ended now that could be used until then, or were asked for. */
  ended: number
  /** The first key after those that can be used; undefined where there is none. */
  goesOn: string | undefined
}

/**
 * Revokes a key, and those that follow it as far as `follows` says: each that could still be used, and the first one, with its
 * row of the history. What was revoked before stays so, and is gone past: one that follows it may be in use.
 */
export async function revokeFrom(
  tx: Transaction,
  customerId: CustomerId,
  first: string,
  { action, actor, requestId, follows, within = 'all' }: Revocation,
): Promise<Revoked> {
  const chain = await lockChain(tx, customerId, first)
  const on = await follows(chain)
  const end = chain.findIndex((key, at) => {
    const next = chain[at + 1]
    return !on.has(key.id) || (next && !isWithin(within, next))
  })
  const [these, rest] = end < 0 ? [chain, []] : [chain.slice(0, end + 1), chain.slice(end + 1)]
  await revokeKeys(
    tx,
    customerId,
    these.map(({ id }) => id),
  )
  const notified = these.filter((key, at) => (at === 0 ? key.status !== 'REVOKED' : isUsable(key)))
  for (const { id, name } of notified) {
    const former = these[these.findIndex((key) => key.id === id) - 1]
    const details = { name, follows: former?.id }
    await recordAudit(tx, customerId, { action, subject: id, actor, requestId, details })
  }
  return { ended: notified.length, goesOn: rest.find(isUsable)?.id }
}

async function revokeKeys(tx: Transaction, customerId: CustomerId, ids: string[]): Promise<void> {
  const theirs = and(eq(apiKeys.customerId, customerId), inArray(apiKeys.id, ids))
  await tx
    .update(apiKeys)
    .set({ revokedAt: sql`now()` })
    .where(and(theirs, isNull(apiKeys.revokedAt)))
}

function isUsable({ status }: KeyRow): boolean {
  return status === 'ACTIVE' || status === 'ROTATING'
}
