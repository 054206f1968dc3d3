import 'server-only'
import { and, eq } from 'drizzle-orm'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { ROLES } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { members } from '#lib/platform/db/schema/customers.ts'
import { type MemberAccess, NOTHING } from './rules.ts'

/**
 * What a caller has, of which they may give. A caller tells the billing profiles that it sees; whether these are all of
 * the customer's, or some to which it is limited, stands with its member. A key may do what it may, and gives nothing.
 */
export async function accessOf(tx: Transaction, caller: Caller): Promise<MemberAccess> {
  const { via, roles, billingProfiles } = caller
  if (via === 'key') return NOTHING
  if (via === 'operator') return { roles: ROLES, billingProfiles: null }
  // A directory says who is in a group; the billing profiles of it were said by whoever mapped it.
  if (via === 'scim') return { roles, billingProfiles: null }
  return { roles, billingProfiles: (await isLimited(tx, caller)) ? billingProfiles : null }
}

async function isLimited(tx: Transaction, { customerId, id }: Caller): Promise<boolean> {
  const rows = await tx
    .select({ profiles: members.billingProfiles })
    .from(members)
    .where(and(eq(members.customerId, customerId), eq(members.id, id)))
  return rows[0]?.profiles !== null
}
