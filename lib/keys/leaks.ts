import 'server-only'
import { setTimeout as sleep } from 'node:timers/promises'
import { digestOf, looksLikeApiKey } from '#lib/access/api-key.ts'
import { findKeys } from '#lib/access/authenticate.ts'
import type { CustomerId } from '#lib/access/rules.ts'
import type { Transaction } from '#lib/db/client.ts'
import { scope } from '#lib/db/scope.ts'
import { recordAudit, STRANGER } from '#lib/history/audit.ts'
import { revokeShownTokens } from '#lib/scim/leaks.ts'
import { tellOwner } from './mails.ts'
import { readKey, revokeKey } from './store.ts'

/** No answer leaves sooner, in milliseconds: whoever asks could otherwise see that there was something to do. */
const AT_LEAST = 300

/**
 * Revokes those of some texts that are keys, or tokens of directories, before it returns: one customer after the other, each
 * with a row of its history and a mail to its owner. Takes about as long where none of them is one.
 */
export async function revokeShown(texts: readonly string[], requestId: string): Promise<void> {
  const ready = sleep(AT_LEAST)
  const shown = [...new Set(texts)]
  const digests = shown.filter(looksLikeApiKey).map(digestOf)
  for (const { customerId, id } of await findKeys(digests)) await revokeLeaked(customerId, id, requestId)
  await revokeShownTokens(shown, requestId)
  await ready
}

function revokeLeaked(customerId: CustomerId, id: string, requestId: string): Promise<void> {
  const revoke = async (tx: Transaction) => {
    const key = await readKey(tx, customerId, 'all', id, true)
    if (!key || key.status === 'REVOKED') return
    await revokeKey(tx, customerId, id)
    await tellOwner(tx, customerId, id, 'key-leaked')
    const event = { action: 'key.leaked', subject: id, actor: STRANGER, requestId }
    await recordAudit(tx, customerId, { ...event, details: { name: key.name } })
  }
  return scope({ customerId }, revoke, { evenIfClosed: true })
}
