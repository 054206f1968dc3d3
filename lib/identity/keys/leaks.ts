import 'server-only'
import { setTimeout as sleep } from 'node:timers/promises'
import { revokeLeakedTokens } from '#lib/identity/scim/tokens.ts'
import { digestOf, findAll, hasApiKeyFormat } from '#lib/platform/caller/credentials.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { ANONYMOUS } from '#lib/platform/history/audit.ts'
import { revokeFrom, rotatedThemselves } from './chains.ts'
import { notifyOwner } from './mails.ts'

/** Revokes the credentials among some texts, each with an audit event of its customer. */
type RevokeLeaked = (texts: readonly string[], requestId: string) => Promise<void>

// Under `next dev` route handlers get their own copy of this module: the registration applies to all of them.
const slot = globalThis as typeof globalThis & { licensesInvoicesLeakedFeeds?: RevokeLeaked }

/** Registers the function that revokes calendar links, which this module must not import. */
export function handleLeakedFeeds(revoke: RevokeLeaked): void {
  slot.licensesInvoicesLeakedFeeds = revoke
}

/** Shortest response time, in milliseconds, so that it does not reveal whether a key was found (timing attack). */
const AT_LEAST = 300

/**
 * Revokes the keys, directory tokens and calendar links among some texts before it returns: customer by customer, each
 * with an audit event and a mail to its owner. Takes about as long where none is found (timing attack).
 */
export async function endLeakedKeys(texts: readonly string[], requestId: string): Promise<void> {
  const ready = sleep(AT_LEAST)
  const leaked = [...new Set(texts)]
  const digests = leaked.filter(hasApiKeyFormat).map(digestOf)
  for (const { customerId, id } of await findAll('key', digests))
    await revokeLeaked(customerId, id, requestId)
  await revokeLeakedTokens(leaked, requestId)
  const revokeFeeds = slot.licensesInvoicesLeakedFeeds
  // An error is better than a false report that a link was revoked.
  if (!revokeFeeds)
    throw new Error('Nothing revokes leaked links of calendars: handleLeakedFeeds was not called.')
  await revokeFeeds(leaked, requestId)
  await ready
}

/**
 * Revokes a leaked key, and each successor that resulted from self-rotation, because the holder of the leaked key may
 * have requested it. A successor that a signed-in member requested stays valid.
 */
function revokeLeaked(customerId: CustomerId, id: string, requestId: string): Promise<void> {
  const revoke = async (tx: Transaction) => {
    const { ended } = await revokeFrom(tx, customerId, id, {
      ...{ action: 'key.leaked', actor: ANONYMOUS, requestId },
      follows: (chain) => rotatedThemselves(tx, customerId, chain),
    })
    if (ended > 0) await notifyOwner(tx, customerId, id, { event: 'key-leaked', count: ended })
  }
  return scope({ customerId }, revoke, { evenIfClosed: true })
}
