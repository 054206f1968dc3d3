import 'server-only'
import { setTimeout as sleep } from 'node:timers/promises'
import { revokeLeakedTokens } from '#lib/identity/scim/tokens.ts'
import { digestOf, findLeaked, hasApiKeyFormat } from '#lib/platform/caller/credentials.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { ANONYMOUS } from '#lib/platform/history/audit.ts'
import { gate } from '#lib/platform/runtime/concurrency.ts'
import { requestContext } from '#lib/platform/runtime/log.ts'
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

/** Reports that are processed concurrently, and further ones that wait: a flood of reports leaves the database to callers. */
const enter = gate({ atOnce: 2, waiting: 10, timeoutMs: 2000 })

/** Texts of a report that count as one request of their sender. */
const TEXTS_PER_REQUEST = 5

/** Shortest response time, in milliseconds, so that it does not reveal whether a key was found (timing attack). */
const AT_LEAST = 300

/**
 * Revokes the keys, directory tokens and calendar links among some texts before it returns: customer by customer, each
 * with an audit event and a mail to its owner. Takes about as long where none is found (timing attack). Texts without
 * the format and checksum of a secret cost no query.
 * @throws Problem `rate_limited`, for more texts than the limit of the sender's address admits; `service_unavailable`
 * where other reports are worked on
 */
export async function endLeakedKeys(texts: readonly string[], requestId: string): Promise<void> {
  // The first texts are part of the request that was counted before its body was read.
  const weight = Math.ceil(texts.length / TEXTS_PER_REQUEST) - 1
  if (weight > 0) requestContext()?.charge?.(weight)
  const ready = sleep(AT_LEAST)
  const leave = await enter()
  try {
    const leaked = [...new Set(texts)]
    const digests = leaked.filter(hasApiKeyFormat).map(digestOf)
    for (const { customerId, id } of await findLeaked('key', digests))
      await revokeLeaked(customerId, id, requestId)
    await revokeLeakedTokens(leaked, requestId)
    const revokeFeeds = slot.licensesInvoicesLeakedFeeds
    // An error is better than a false report that a link was revoked.
    if (!revokeFeeds)
      throw new Error('Nothing revokes leaked links of calendars: handleLeakedFeeds was not called.')
    await revokeFeeds(leaked, requestId)
  } finally {
    leave()
  }
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
