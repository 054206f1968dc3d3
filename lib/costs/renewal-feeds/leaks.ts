import 'server-only'
import type { Transaction } from '#lib/platform/db/client.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { ANONYMOUS, recordAudit } from '#lib/platform/history/audit.ts'
import { findFeeds, hasFeedSecretFormat } from './secrets.ts'
import { maskedSecret } from './serialize.ts'
import { removeFeed } from './store.ts'

/**
 * Revokes the calendar secrets among some texts, each with an audit row of its customer. The caller hides the duration
 * (timing attack): see lib/identity/keys/leaks.ts.
 */
export async function revokeLeakedFeeds(texts: readonly string[], requestId: string): Promise<void> {
  const secrets = texts.filter(hasFeedSecretFormat)
  for (const { customerId, memberId, secret } of await findFeeds(secrets)) {
    const end = async (tx: Transaction) => {
      const lastFour = secret.slice(-4)
      // The member may have created a new link in the meantime.
      if (!(await removeFeed(tx, customerId, memberId, lastFour))) return
      const event = { action: 'calendar-feed.leaked', subject: memberId, actor: ANONYMOUS, requestId }
      await recordAudit(tx, customerId, { ...event, details: { link: maskedSecret(lastFour) } })
    }
    await scope({ customerId }, end, { evenIfClosed: true })
  }
}
