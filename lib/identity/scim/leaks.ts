import 'server-only'
import { tellAdmins } from '#lib/identity/access/sign-ins/account-mail.ts'
import { digestOf } from '#lib/platform/caller/api-key.ts'
import { findAll } from '#lib/platform/caller/look-ups/find.ts'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import { looksLikeScimToken } from '#lib/platform/caller/scim-tokens/secret.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { recordAudit, STRANGER } from '#lib/platform/history/audit.ts'
import { endToken } from './store/tokens.ts'

/**
 * Revokes those of some texts that are tokens of directories, each with a row of its customer's history and a mail to the
 * Admins. Who waits for it hides how long it took: see lib/identity/keys/leaks.ts.
 */
export async function revokeShownTokens(texts: readonly string[], requestId: string): Promise<void> {
  const digests = texts.filter(looksLikeScimToken).map(digestOf)
  for (const { customerId, id } of await findAll('scim-token', digests))
    await revoke(customerId, id, requestId)
}

function revoke(customerId: CustomerId, id: string, requestId: string): Promise<void> {
  const end = async (tx: Transaction) => {
    const name = await endToken(tx, customerId, id)
    if (name === undefined) return
    await tellAdmins(tx, customerId, 'scim-token-leaked', name)
    const event = { action: 'scim-token.leaked', subject: id, actor: STRANGER, requestId }
    await recordAudit(tx, customerId, { ...event, details: { name } })
  }
  return scope({ customerId }, end, { evenIfClosed: true })
}
