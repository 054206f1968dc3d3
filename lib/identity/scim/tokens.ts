import 'server-only'
import { randomUUID } from 'node:crypto'
import { and, asc, eq, isNull, sql } from 'drizzle-orm'
import { notifyAdmins } from '#lib/identity/access/sign-ins/account-mail.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import {
  addToCredentialIndex,
  digestOf,
  findLeaked,
  hasScimTokenFormat,
  newScimToken,
} from '#lib/platform/caller/credentials.ts'
import type { Caller, CustomerId, Role } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { scimTokens } from '#lib/platform/db/schema/access/scim.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { ANONYMOUS, actorOf, recordAudit } from '#lib/platform/history/audit.ts'

/**
 * Issues a token for a customer's directory.
 * @param newToken.roles roles that the token may grant to members
 * @param newToken.days days until it expires; null: never
 * @returns the token, which can't be read again
 */
export async function issueToken(
  tx: Transaction,
  caller: Caller,
  newToken: { name: string; roles: readonly Role[]; days: number | null },
  requestId: string,
): Promise<{ id: string; secret: string }> {
  const { customerId } = caller
  const secret = newScimToken()
  const id = await addToken(tx, customerId, secret, newToken)
  const { name, roles, days } = newToken
  const details = { name, roles: [...roles], validDays: days }
  const event = { action: 'scim-token.issued', subject: id, actor: actorOf(caller), requestId, details }
  await recordAudit(tx, customerId, event)
  return { id, secret }
}

/** Revokes a token from the next request on. @throws Problem `not_found` */
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

/**
 * Revokes the directory tokens among some texts, each with an audit event of its customer and a mail to the Admins. The
 * caller hides the duration: see lib/identity/keys/leaks.ts.
 */
export async function revokeLeakedTokens(texts: readonly string[], requestId: string): Promise<void> {
  const digests = texts.filter(hasScimTokenFormat).map(digestOf)
  for (const { customerId, id } of await findLeaked('scim-token', digests))
    await revoke(customerId, id, requestId)
}

function revoke(customerId: CustomerId, id: string, requestId: string): Promise<void> {
  const end = async (tx: Transaction) => {
    const name = await endToken(tx, customerId, id)
    if (name === undefined) return
    await notifyAdmins(tx, customerId, 'scim-token-leaked', name)
    const event = { action: 'scim-token.leaked', subject: id, actor: ANONYMOUS, requestId }
    await recordAudit(tx, customerId, { ...event, details: { name } })
  }
  return scope({ customerId }, end, { evenIfClosed: true })
}

/** Stores a token's digest. @returns its id */
export async function addToken(
  tx: Transaction,
  customerId: CustomerId,
  secret: string,
  { name, roles, days }: { name: string; roles: readonly Role[]; days: number | null },
): Promise<string> {
  const id = randomUUID()
  const digest = digestOf(secret)
  await addToCredentialIndex(tx, customerId, 'scim-token', { digest, id })
  await tx.insert(scimTokens).values({
    customerId,
    id,
    name,
    digest,
    lastFour: secret.slice(-4),
    roles: [...roles],
    expiresAt: days === null ? null : sql`now() + make_interval(days => ${days}::int)`,
  })
  return id
}

/** Returns whether a token is valid now. */
export async function tokenWorks(tx: Transaction, customerId: CustomerId, id: string): Promise<boolean> {
  return (await working(tx, customerId, id)).length > 0
}

/** Like `tokenWorks`, but also locks the token until the transaction ends. */
export async function lockToken(tx: Transaction, customerId: CustomerId, id: string): Promise<boolean> {
  return (await working(tx, customerId, id).for('no key update')).length > 0
}

function working(tx: Transaction, customerId: CustomerId, id: string) {
  const { revokedAt, expiresAt } = scimTokens
  const works = and(isNull(revokedAt), sql`(${expiresAt} IS NULL OR ${expiresAt} > now())`)
  return tx
    .select({ id: scimTokens.id })
    .from(scimTokens)
    .where(and(eq(scimTokens.customerId, customerId), eq(scimTokens.id, id), works))
}

/** Lists all tokens of the customer, including ended ones. */
export function listTokens(tx: Transaction, customerId: CustomerId) {
  const { id, name, lastFour, roles, createdAt, expiresAt, revokedAt, lastUsedAt } = scimTokens
  return tx
    .select({ id, name, lastFour, roles, createdAt, expiresAt, revokedAt, lastUsedAt })
    .from(scimTokens)
    .where(eq(scimTokens.customerId, customerId))
    .orderBy(asc(createdAt), asc(id))
}

/** Revokes a token from the next request on. @returns its name; undefined where no valid token has this id */
async function endToken(tx: Transaction, customerId: CustomerId, id: string): Promise<string | undefined> {
  const tokenFilter = and(
    eq(scimTokens.customerId, customerId),
    eq(scimTokens.id, id),
    isNull(scimTokens.revokedAt),
  )
  const rows = await tx
    .update(scimTokens)
    .set({ revokedAt: sql`now()` })
    .where(tokenFilter)
    .returning({ name: scimTokens.name })
  return rows[0]?.name
}
