import 'server-only'
import { randomUUID } from 'node:crypto'
import { and, eq, not, type SQL, sql } from 'drizzle-orm'
import { addToCredentialIndex, digestOf, maskedKey } from '#lib/platform/caller/credentials.ts'
import type { CustomerId, Role } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { apiKeys, members } from '#lib/platform/db/schema/customers.ts'
import { byCreation, type Cursor, pageByKey } from '#lib/platform/lists/paging.ts'
import { type KeyScope, type KeyStatus, type Owner, type STATES, UNUSED_DAYS } from './rules.ts'

const belongsToCustomer = sql<boolean>`(${apiKeys.belongsToCustomer} OR ${apiKeys.issuedBy} IS NULL)`
/** SQL condition for a key that is expired, revoked or whose issuer is disabled, by the database's clock. */
const hasEnded =
  sql<boolean>`(${apiKeys.revokedAt} IS NOT NULL OR coalesce(${apiKeys.expiresAt} <= now(), false)
  OR (${members.disabledAt} IS NOT NULL AND NOT ${apiKeys.belongsToCustomer}))`.mapWith(Boolean)
const status = sql<KeyStatus>`CASE
  WHEN ${apiKeys.revokedAt} IS NOT NULL THEN 'REVOKED'
  WHEN ${apiKeys.expiresAt} <= now() AND ${apiKeys.replacedBy} IS NOT NULL THEN 'ROTATED'
  WHEN ${apiKeys.expiresAt} <= now() THEN 'EXPIRED'
  WHEN ${hasEnded} THEN 'ISSUER_DISABLED'
  WHEN ${apiKeys.replacedBy} IS NOT NULL THEN 'ROTATING'
  ELSE 'ACTIVE' END`
const isUnused = sql<boolean>`(NOT ${hasEnded}
  AND coalesce(${apiKeys.lastUsedAt}, ${apiKeys.createdAt}) < now() - make_interval(days => ${UNUSED_DAYS}::int))`

/** Sort key of the list. */
const { columns, micros } = byCreation(apiKeys.createdAt, apiKeys.id)
const listedColumns = {
  id: apiKeys.id,
  name: apiKeys.name,
  prefix: apiKeys.prefix,
  lastFour: apiKeys.lastFour,
  status,
  roles: sql<Role[]>`${apiKeys.roles}`,
  billingProfiles: apiKeys.billingProfiles,
  owner: sql<Owner>`CASE WHEN ${belongsToCustomer} THEN 'CUSTOMER' ELSE 'MEMBER' END`,
  issuedBy: apiKeys.issuedBy,
  issuerName: members.name,
  issuerEmail: members.email,
  addresses: apiKeys.addresses,
  createdAt: apiKeys.createdAt,
  expiresAt: apiKeys.expiresAt,
  revokedAt: apiKeys.revokedAt,
  lastUsedAt: apiKeys.lastUsedAt,
  lastUsedAddress: apiKeys.lastUsedAddress,
  replacedBy: apiKeys.replacedBy,
  replacedByPerson: apiKeys.replacedByPerson,
  isUnused,
  micros,
}

export type KeyRow = Awaited<ReturnType<typeof rows>>[number]

/** Returns the keys that match the condition, which includes the customer, with their issuers. */
export function rows(tx: Transaction, which: SQL | undefined) {
  const issuer = and(eq(members.customerId, apiKeys.customerId), eq(members.id, apiKeys.issuedBy))
  return tx.select(listedColumns).from(apiKeys).leftJoin(members, issuer).where(which)
}

/** Returns the sort key of a key, for page tokens. */
export function keyOfKey({ micros, id }: KeyRow): string[] {
  return [micros, id]
}

export type Selection = { keyScope: KeyScope; state?: (typeof STATES)[number] | undefined }

/** Lists keys in reading direction from the cursor: newest first, or oldest first for a cursor that leads back. */
export function listKeys(
  tx: Transaction,
  customerId: CustomerId,
  { keyScope, state }: Selection,
  { limit, cursor }: { limit: number; cursor?: Cursor | undefined },
) {
  const { beyond, order } = pageByKey(columns, cursor)
  const chosen = state && (state === 'ended' ? hasEnded : not(hasEnded))
  return rows(tx, and(within(customerId, keyScope), chosen, beyond))
    .orderBy(order)
    .limit(limit)
}

/** Reads a key within the scope. */
export async function readKey(
  tx: Transaction,
  customerId: CustomerId,
  keyScope: KeyScope,
  id: string,
): Promise<KeyRow | undefined> {
  const its = and(within(customerId, keyScope), eq(apiKeys.id, id))
  const [row] = await rows(tx, its)
  return row
}

/** Values of a new key. `hours`: its lifetime; null: no expiry. */
export type NewKey = {
  name: string
  roles: readonly Role[]
  billingProfiles: readonly string[] | null
  issuedBy: string | null
  owner: Owner
  addresses: readonly string[] | null
  hours: number | null
}

/** Stores a new key by its digest, and returns its id. */
export async function addKey(
  tx: Transaction,
  customerId: CustomerId,
  apiKey: string,
  { owner, hours, ...columnValues }: NewKey,
): Promise<string> {
  const id = randomUUID()
  const expiresAt = hours === null ? null : sql`now() + make_interval(hours => ${hours}::int)`
  const roles = [...columnValues.roles]
  const lists = {
    billingProfiles: columnValues.billingProfiles && [...columnValues.billingProfiles],
    addresses: columnValues.addresses && [...columnValues.addresses],
  }
  const secret = { digest: digestOf(apiKey), ...maskedKey(apiKey) }
  const belongsToCustomer = owner === 'CUSTOMER'
  const values = { ...columnValues, ...lists, customerId, id, roles, belongsToCustomer, expiresAt, ...secret }
  await addToCredentialIndex(tx, customerId, 'key', { digest: secret.digest, id })
  await tx.insert(apiKeys).values(values)
  return id
}

/** Renames a key. */
export async function renameKey(tx: Transaction, customerId: CustomerId, id: string, name: string) {
  await tx.update(apiKeys).set({ name }).where(keyOf(customerId, id))
}

/** Revokes a key from the next request on. */
export async function revokeKey(tx: Transaction, customerId: CustomerId, id: string) {
  await tx.update(apiKeys).set({ revokedAt: sql`now()` }).where(keyOf(customerId, id))
}

/** Properties of a rotation. */
export type Replacement = {
  /** Hours until the former key expires, unless it expires earlier. */
  hours: number
  /** Longest lifetime of the successor, in days. */
  mostDays: number
  /** Whether the successor may be without expiry where the former key is; otherwise it gets the longest lifetime. */
  withoutEnd: boolean
  /** Whether a person requests the rotation, and not the key itself. */
  byPerson: boolean
}

/**
 * Stores the successor of a key.
 * @returns the successor's id
 */
export async function replaceKey(
  tx: Transaction,
  customerId: CustomerId,
  former: string,
  { apiKey, hours, mostDays, withoutEnd, byPerson: replacedByPerson }: { apiKey: string } & Replacement,
): Promise<string> {
  const id = randomUUID()
  const { prefix, lastFour } = maskedKey(apiKey)
  const digest = digestOf(apiKey)
  await addToCredentialIndex(tx, customerId, 'key', { digest, id })
  await tx.execute(sql`
    INSERT INTO api_keys (customer_id, id, digest, prefix, last_four, expires_at,
      name, roles, billing_profiles, issued_by, belongs_to_customer, addresses)
    SELECT customer_id, ${id}, ${digest}, ${prefix}, ${lastFour},
      now() + CASE WHEN expires_at IS NOT NULL OR NOT ${withoutEnd}::boolean
        THEN least(expires_at - created_at, make_interval(days => ${mostDays}::int)) END,
      name, roles, billing_profiles, issued_by, belongs_to_customer, addresses
    FROM api_keys WHERE customer_id = ${customerId} AND id = ${former}`)
  const end = sql`least(${apiKeys.expiresAt}, now() + make_interval(hours => ${hours}::int))`
  await tx
    .update(apiKeys)
    .set({ replacedBy: id, replacedByPerson, expiresAt: end })
    .where(keyOf(customerId, former))
  return id
}

function keyOf(customerId: CustomerId, id: string) {
  return and(eq(apiKeys.customerId, customerId), eq(apiKeys.id, id))
}

function within(customerId: CustomerId, keyScope: KeyScope): SQL | undefined {
  const customerFilter = eq(apiKeys.customerId, customerId)
  if (keyScope === 'all') return customerFilter
  const its = 'keyId' in keyScope ? eq(apiKeys.id, keyScope.keyId) : eq(apiKeys.issuedBy, keyScope.issuedBy)
  return and(customerFilter, its)
}
