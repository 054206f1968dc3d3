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

/** Ends those of some texts that are credentials, each with a row of its customer's history. */
type RevokeLeaked = (texts: readonly string[], requestId: string) => Promise<void>

// Under `next dev` route handlers get a copy of this module of their own: what is registered holds for each.
const slot = globalThis as typeof globalThis & { licensesInvoicesLeakedFeeds?: RevokeLeaked }

/** Registers what revokes links of calendars, which this module does not know. */
export function handleLeakedFeeds(revoke: RevokeLeaked): void {
  slot.licensesInvoicesLeakedFeeds = revoke
}

/** No answer leaves sooner, in milliseconds: whoever asks could otherwise see that there was something to do. */
const AT_LEAST = 300

/**
 * Revokes those of some texts that are keys, tokens of directories or links of calendars, before it returns: one customer after the other, each
 * with a row of its history and a mail to its owner. Takes about as long where none of them is one.
 */
export async function endLeakedKeys(texts: readonly string[], requestId: string): Promise<void> {
  const ready = sleep(AT_LEAST)
  const leaked = [...new Set(texts)]
  const digests = leaked.filter(hasApiKeyFormat).map(digestOf)
  for (const { customerId, id } of await findAll('key', digests))
    await revokeLeaked(customerId, id, requestId)
  await revokeLeakedTokens(leaked, requestId)
  const revokeFeeds = slot.licensesInvoicesLeakedFeeds
  // Better no answer than one that says that a link is dead which is not.
  if (!revokeFeeds)
    throw new Error('Nothing revokes leaked links of calendars: handleLeakedFeeds was not called.')
  await revokeFeeds(leaked, requestId)
  await ready
}

/**
 * With it ends each key that it got by rotating itself, and that one in turn: whoever has the first may have asked for it.
 * What a signed-in member put in its place is not theirs, and goes on.
 */
function revokeLeaked(customerId: CustomerId, id: string, requestId: string): Promise<void> {
  const revoke = async (tx: Transaction) => {
    const { ended } = await revokeFrom(tx, customerId, id, {
      ...{ action: 'key.leaked', actor: ANONYMOUS, requestId },
      follows: (chain) => rotatedThemselves(tx, customerId, chain),
    })
    if (ended > 0) await notifyOwner(tx, customerId, id, 'key-leaked', ended)
  }
  return scope({ customerId }, revoke, { evenIfClosed: true })
}
