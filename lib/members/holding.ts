import 'server-only'
import { and, eq, sql } from 'drizzle-orm'
import type { Caller } from '#lib/access/rules.ts'
import { ROLES } from '#lib/access/rules.ts'
import type { Transaction } from '#lib/db/client.ts'
import { apiKeys, members } from '#lib/db/schema/customers.ts'
import type { Holding } from './rules.ts'

/**
 * What a caller has, of which they may give. A caller tells the billing profiles that it sees; whether these are all of
 * the customer's, or some to which it is limited, stands with its member and its key.
 */
export async function holdingOf(tx: Transaction, caller: Caller): Promise<Holding> {
  const { via, roles, billingProfiles } = caller
  if (via === 'operator') return { roles: ROLES, billingProfiles: null }
  const isLimited = via === 'key' ? await isKeyLimited(tx, caller) : await isMemberLimited(tx, caller)
  return { roles, billingProfiles: isLimited ? billingProfiles : null }
}

async function isMemberLimited(tx: Transaction, { customerId, id }: Caller): Promise<boolean> {
  const rows = await tx
    .select({ profiles: members.billingProfiles })
    .from(members)
    .where(and(eq(members.customerId, customerId), eq(members.id, id)))
  return rows[0]?.profiles !== null
}

async function isKeyLimited(tx: Transaction, { customerId, id }: Caller): Promise<boolean> {
  const ofIssuer = sql`NOT ${apiKeys.belongsToCustomer} AND ${members.billingProfiles} IS NOT NULL`
  const rows = await tx
    .select({
      isLimited: sql<boolean>`${apiKeys.billingProfiles} IS NOT NULL OR coalesce(${ofIssuer}, false)`,
    })
    .from(apiKeys)
    .leftJoin(members, and(eq(members.customerId, apiKeys.customerId), eq(members.id, apiKeys.issuedBy)))
    .where(and(eq(apiKeys.customerId, customerId), eq(apiKeys.id, id)))
  return rows[0]?.isLimited !== false
}
