import 'server-only'
import type { Transaction } from '#lib/platform/db/client.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { recordAudit, STRANGER } from '#lib/platform/history/audit.ts'
import { findFeeds, looksLikeFeedSecret } from './secrets.ts'
import { hintOf } from './serialize.ts'
import { removeFeed } from './store.ts'

/**
 * Ends those of some texts that are the secrets of calendars, each with a row of its customer's history. Who waits for it
 * hides how long it took: see lib/identity/keys/leaks.ts.
 */
export async function revokeShownFeeds(texts: readonly string[], requestId: string): Promise<void> {
  const secrets = texts.filter(looksLikeFeedSecret)
  for (const { customerId, memberId, secret } of await findFeeds(secrets)) {
    const end = async (tx: Transaction) => {
      const lastFour = secret.slice(-4)
      // Their member may have made another one meanwhile.
      if (!(await removeFeed(tx, customerId, memberId, lastFour))) return
      const event = { action: 'calendar-feed.leaked', subject: memberId, actor: STRANGER, requestId }
      await recordAudit(tx, customerId, { ...event, details: { link: hintOf(lastFour) } })
    }
    await scope({ customerId }, end, { evenIfClosed: true })
  }
}
