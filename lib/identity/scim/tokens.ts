import 'server-only'
import { Problem } from '#lib/platform/api/problem.ts'
import type { Caller, Role } from '#lib/platform/caller/rules.ts'
import { newScimToken } from '#lib/platform/caller/scim-tokens/secret.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { actorOf, recordAudit } from '#lib/platform/history/audit.ts'
import { addToken, endToken } from './store/tokens.ts'

/**
 * Issues a token for a customer's directory.
 * @param given.roles what it may give to members, and no more
 * @param given.days until it ends by itself; null: never
 * @returns the token, which can't be read back
 */
export async function issueToken(
  tx: Transaction,
  caller: Caller,
  given: { name: string; roles: readonly Role[]; days: number | null },
  requestId: string,
): Promise<{ id: string; secret: string }> {
  const { customerId } = caller
  const secret = newScimToken()
  const id = await addToken(tx, customerId, secret, given)
  const { name, roles, days } = given
  const details = { name, roles: [...roles], validDays: days }
  const event = { action: 'scim-token.issued', subject: id, actor: actorOf(caller), requestId, details }
  await recordAudit(tx, customerId, event)
  return { id, secret }
}

/** Revokes a token, which opens nothing from the next request on. @throws Problem `not_found` */
export async function revokeToken(
  tx: Transaction,
  caller: Caller,
  id: string,
  requestId: string,
): Promise<void> {
  const { customerId } = caller
  const name = await endToken(tx, customerId, id)
  if (name === undefined) throw new Problem('not_found', 'There is no such token that works.')
  const event = { action: 'scim-token.revoked', subject: id, actor: actorOf(caller), requestId }
  await recordAudit(tx, customerId, { ...event, details: { name } })
}
