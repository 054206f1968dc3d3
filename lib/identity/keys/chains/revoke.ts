import 'server-only'
import { and, eq, inArray, isNull, sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { apiKeys } from '#lib/platform/db/schema/customers.ts'
import { type Actor, recordAudit } from '#lib/platform/history/audit.ts'
import type { KeyRow } from '../rows.ts'
import { isWithin, type Reach } from '../rules.ts'
import { lockChain } from './chain.ts'

type Revocation = {
  action: 'key.revoked' | 'key.leaked'
  actor: Actor
  requestId: string
  /** Says of which keys the one that follows by rotation ends, too. */
  follows: (chain: readonly KeyRow[]) => Promise<Set<string>> | Set<string>
  /** The keys that may end with it. */
  within?: Reach
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
  const told = these.filter((key, at) => (at === 0 ? key.status !== 'REVOKED' : isUsable(key)))
  for (const { id, name } of told) {
    const former = these[these.findIndex((key) => key.id === id) - 1]
    const details = { name, follows: former?.id }
    await recordAudit(tx, customerId, { action, subject: id, actor, requestId, details })
  }
  return { ended: told.length, goesOn: rest.find(isUsable)?.id }
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
