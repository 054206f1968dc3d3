import 'server-only'
import { and, eq } from 'drizzle-orm'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { ROLES } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { members } from '#lib/platform/db/schema/customers.ts'
import { type MemberAccess, NOTHING } from './rules.ts'

/**
 * Returns the access that a caller may grant. A caller carries the visible billing profiles; whether these are all of
 * the customer's, or a limited selection, is stored with the member. A key may use its access, but grants nothing.
 */
export async function accessOf(tx: Transaction, caller: Caller): Promise<MemberAccess> {
  const { via, roles, billingProfiles } = caller
  if (via === 'key') return NOTHING
  if (via === 'operator') return { roles: ROLES, billingProfiles: null }
  // A directory decides the members of a group; its billing profiles were decided by the Admin who mapped it.
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
