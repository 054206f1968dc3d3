import 'server-only'
import { and, asc, eq, inArray, isNull, sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { apiKeys } from '#lib/platform/db/schema/customers.ts'
import { type Actor, recordAudit } from '#lib/platform/history/audit.ts'
import { isWithin, type KeyScope } from './rules.ts'
import { type KeyRow, rows } from './store.ts'

/** Returns the ids of a key and of all its successors, in the order of rotation. */
export async function idsOfChain(tx: Transaction, customerId: CustomerId, first: string): Promise<string[]> {
  const { rows: members } = await tx.execute<{ id: string }>(sql`
    WITH RECURSIVE chain AS (
      SELECT id, replaced_by, 0 AS place FROM api_keys WHERE customer_id = ${customerId} AND id = ${first}
      UNION ALL SELECT k.id, k.replaced_by, chain.place + 1 FROM chain
      JOIN api_keys k ON k.customer_id = ${customerId} AND k.id = chain.replaced_by)
    SELECT id FROM chain ORDER BY place`)
  return members.map(({ id }) => id)
}

/** Locks keys until the transaction ends, by ascending id, in the common lock order. */
async function lockKeys(tx: Transaction, customerId: CustomerId, ids: readonly string[]) {
  await tx
    .select({ id: apiKeys.id })
    .from(apiKeys)
    .where(and(eq(apiKeys.customerId, customerId), inArray(apiKeys.id, [...ids])))
    .orderBy(asc(apiKeys.id))
    .for('no key update')
}

/** Locks a key and all of its successors until the transaction ends, and returns them. Concurrent rotations wait. */
async function lockChain(tx: Transaction, customerId: CustomerId, first: string): Promise<KeyRow[]> {
  let [locked, ids]: [number, string[]] = [0, await idsOfChain(tx, customerId, first)]
  while (ids.length > locked) {
    await lockKeys(tx, customerId, ids.slice(locked))
    locked = ids.length
    // The last key may have been rotated before it was locked.
    ids = await idsOfChain(tx, customerId, first)
  }
  const keys = await rows(tx, and(eq(apiKeys.customerId, customerId), inArray(apiKeys.id, ids)))
  const byId = new Map(keys.map((key) => [key.id, key]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

/**
 * Returns the ids of the keys that rotated themselves. For keys rotated by an older release, which did not store the
 * requester, the audit log is read.
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
 * Returns the keys whose self-rotation is in the audit log. The event was written in the transaction that created the
 * successor, so the audit log is searched around its creation time instead of to its end.
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
  // A separate statement: keys and audit events may be stored on different machines.
  const { rows: matches } = await tx.execute<{ id: string }>(sql`
    SELECT k.id FROM unnest(${sql.param(made.map(({ id }) => id))}::text[], ${sql.param(made.map(({ at }) => at))}::timestamptz[]) AS k (id, at)
    CROSS JOIN LATERAL (SELECT FROM audit_events e
      WHERE e.customer_id = ${customerId} AND e.at BETWEEN k.at AND k.at + interval '1 minute'
        AND e.subject = k.id AND e.action = 'key.rotated' AND e.actor_kind = 'key' LIMIT 1) said`)
  return matches.map(({ id }) => id)
}

/** Returns how often the key's chain rotated itself in the last hour, up to `most`. */
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
  /** Returns the ids of the keys whose successor is revoked as well. */
  follows: (chain: readonly KeyRow[]) => Promise<Set<string>> | Set<string>
  /** Keys that may be revoked as well. */
  within?: KeyScope
}

/** Result of a revocation. */
type Revoked = {
  /** Number of revoked keys that were usable until now, including the requested one. */
  ended: number
  /** First usable key after the revoked ones; undefined: none. */
  goesOn: string | undefined
}

/**
 * Revokes a key and its successors, as far as `follows` returns: the first key and each usable one, with an audit
 * event. Keys that were revoked before are passed over, because a successor of theirs may be in use.
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
