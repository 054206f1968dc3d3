import 'server-only'
import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { Role } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { apiKeys, members } from '#lib/platform/db/schema/customers.ts'
import { byCreation } from '#lib/platform/lists/keyset.ts'
import { type KeyStatus, type Owner, UNUSED_DAYS } from './rules.ts'

const belongsToCustomer = sql<boolean>`(${apiKeys.belongsToCustomer} OR ${apiKeys.issuedBy} IS NULL)`
/** Whether a key opens nothing now, by the database's clock. */
export const hasEnded =
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

const { columns: sortKey, micros } = byCreation(apiKeys.createdAt, apiKeys.id)
/** The sort key of the list. */
export const columns = sortKey
const shown = {
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

/** Keys of which this holds, which names the customer, with their issuers. */
export function rows(tx: Transaction, which: SQL | undefined) {
  const issuer = and(eq(members.customerId, apiKeys.customerId), eq(members.id, apiKeys.issuedBy))
  return tx.select(shown).from(apiKeys).leftJoin(members, issuer).where(which)
}
