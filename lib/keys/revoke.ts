import 'server-only'
import type { CustomerId } from '#lib/access/rules.ts'
import type { Transaction } from '#lib/db/client.ts'
import { type Actor, recordAudit } from '#lib/history/audit.ts'
import type { KeyRow } from './rows.ts'
import type { Reach } from './rules.ts'
import { readKey, revokeKey } from './store.ts'

type Revocation = {
  action: 'key.revoked' | 'key.leaked'
  actor: Actor
  requestId: string
  /** Whether the key that follows this one by rotation ends, too. */
  follows: (former: KeyRow) => boolean
  /** The keys that may end with it. */
  within?: Reach
  /** What is to be done for each key that ends now. */
  tell?: (id: string) => Promise<void>
}

/**
 * Revokes a key that the transaction has locked, and those that follow it as far as `follows` says, each with its row of the
 * history. What was revoked before stays so, and is gone past: one that follows it may be in use.
 * @returns the id of the first key after these that can be used; undefined where there is none
 */
export async function revokeFrom(
  tx: Transaction,
  customerId: CustomerId,
  first: KeyRow,
  { action, actor, requestId, follows, within = 'all', tell }: Revocation,
): Promise<string | undefined> {
  let [key, former]: [KeyRow | undefined, KeyRow | undefined] = [first, undefined]
  while (key) {
    if (key.status !== 'REVOKED') {
      await revokeKey(tx, customerId, key.id)
      await tell?.(key.id)
      const details = { name: key.name, follows: former?.id }
      await recordAudit(tx, customerId, { action, subject: key.id, actor, requestId, details })
    }
    if (!key.replacedBy || !follows(key)) break
    former = key
    // Locked before it is read: whoever rotates it at this moment comes before or after.
    key = await readKey(tx, customerId, within, key.replacedBy, true)
  }
  return usableAfter(tx, customerId, key ?? former)
}

async function usableAfter(tx: Transaction, customerId: CustomerId, last: KeyRow | undefined) {
  let id = last?.replacedBy
  while (id) {
    const key: KeyRow | undefined = await readKey(tx, customerId, 'all', id)
    if (key && (key.status === 'ACTIVE' || key.status === 'ROTATING')) return key.id
    id = key?.replacedBy
  }
  return undefined
}
