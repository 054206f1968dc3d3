import 'server-only'
import { randomUUID } from 'node:crypto'
import { and, eq, sql } from 'drizzle-orm'
import type { Transaction } from '#lib/db/client.ts'
import { apiKeys, billingProfiles, customers } from '#lib/db/schema/customers.ts'
import { digestOf, hintsOf } from './api-key.ts'
import type { CustomerId, Role } from './rules.ts'

/** Adds the customer with its billing profile `default`, which is named like it. */
export async function addCustomer(
  tx: Transaction,
  customerId: CustomerId,
  given: { name: string; domain: string; contactEmail: string },
): Promise<void> {
  await tx.insert(customers).values({ id: customerId, ...given })
  await tx.insert(billingProfiles).values({ customerId, id: 'default', name: given.name })
}

/** Keeps a new key, of which only the digest is stored, and returns its id. */
export async function addKey(
  tx: Transaction,
  customerId: CustomerId,
  apiKey: string,
  given: { name: string; roles: Role[]; validHours: number | undefined },
): Promise<string> {
  const id = randomUUID()
  const { name, roles, validHours } = given
  const expiresAt = validHours === undefined ? null : sql`now() + make_interval(hours => ${validHours}::int)`
  const secret = { digest: digestOf(apiKey), ...hintsOf(apiKey) }
  await tx.insert(apiKeys).values({ customerId, id, name, roles, expiresAt, ...secret })
  return id
}

/** All keys of the customer, the newest first: what may be seen of them. */
export function listKeys(tx: Transaction, customerId: CustomerId) {
  return tx
    .select({
      id: apiKeys.id,
      name: apiKeys.name,
      prefix: apiKeys.prefix,
      lastFour: apiKeys.lastFour,
      roles: sql<Role[]>`${apiKeys.roles}`,
      createdAt: apiKeys.createdAt,
      expiresAt: apiKeys.expiresAt,
      revokedAt: apiKeys.revokedAt,
      lastUsedAt: apiKeys.lastUsedAt,
    })
    .from(apiKeys)
    .where(eq(apiKeys.customerId, customerId))
    .orderBy(sql`${apiKeys.createdAt} DESC, ${apiKeys.id}`)
}

/** Revokes a key from the next request on: `already` where it was, undefined where there is none. */
export async function revokeKey(
  tx: Transaction,
  customerId: CustomerId,
  id: string,
): Promise<'revoked' | 'already' | undefined> {
  const own = and(eq(apiKeys.customerId, customerId), eq(apiKeys.id, id))
  const found = await tx.select({ revokedAt: apiKeys.revokedAt }).from(apiKeys).where(own).for('update')
  if (!found[0]) return undefined
  if (found[0].revokedAt) return 'already'
  await tx.update(apiKeys).set({ revokedAt: sql`now()` }).where(own)
  return 'revoked'
}
