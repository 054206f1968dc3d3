import 'server-only'
import { randomUUID } from 'node:crypto'
import { and, asc, eq, isNull, sql } from 'drizzle-orm'
import { digestOf } from '#lib/platform/caller/api-key.ts'
import { noteLookUp } from '#lib/platform/caller/look-ups/keep.ts'
import type { CustomerId, Role } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { scimTokens } from '#lib/platform/db/schema/access/scim.ts'

/** Keeps a token's digest. @returns its id */
export async function addToken(
  tx: Transaction,
  customerId: CustomerId,
  secret: string,
  { name, roles, days }: { name: string; roles: readonly Role[]; days: number | null },
): Promise<string> {
  const id = randomUUID()
  const digest = digestOf(secret)
  await noteLookUp(tx, customerId, 'scim-token', { digest, id })
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

/** Whether a token opens something now. */
export async function tokenWorks(tx: Transaction, customerId: CustomerId, id: string): Promise<boolean> {
  return (await working(tx, customerId, id)).length > 0
}

/** The same, and keeps the token as it is until the transaction ends. */
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

/** All tokens of the customer, with those that have ended. */
export function listTokens(tx: Transaction, customerId: CustomerId) {
  const { id, name, lastFour, roles, createdAt, expiresAt, revokedAt, lastUsedAt } = scimTokens
  return tx
    .select({ id, name, lastFour, roles, createdAt, expiresAt, revokedAt, lastUsedAt })
    .from(scimTokens)
    .where(eq(scimTokens.customerId, customerId))
    .orderBy(asc(createdAt), asc(id))
}

/** Ends a token from the next request on. @returns its name; undefined where there is none that works */
export async function endToken(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
): Promise<string | undefined> {
  const own = and(eq(scimTokens.customerId, customerId), eq(scimTokens.id, id), isNull(scimTokens.revokedAt))
  const rows = await tx
    .update(scimTokens)
    .set({ revokedAt: sql`now()` })
    .where(own)
    .returning({ name: scimTokens.name })
  return rows[0]?.name
}
