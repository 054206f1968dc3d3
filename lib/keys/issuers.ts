import 'server-only'
import { and, eq } from 'drizzle-orm'
import type { CustomerId, Role } from '#lib/access/rules.ts'
import type { Transaction } from '#lib/db/client.ts'
import { members } from '#lib/db/schema/customers.ts'

/** What a member holds at this moment: `billingProfiles` null for all of the customer's. */
export type Held = { roles: readonly Role[]; billingProfiles: string[] | null }

/**
 * What a member holds, and goes on to hold until the transaction ends: a role that is taken away meanwhile is in no key that
 * it makes. Undefined where they were shut out.
 */
export async function heldBy(
  tx: Transaction,
  customerId: CustomerId,
  memberId: string,
): Promise<Held | undefined> {
  const { roles, billingProfiles, disabledAt } = members
  const [found] = await tx
    .select({ roles, billingProfiles, disabledAt })
    .from(members)
    .where(and(eq(members.customerId, customerId), eq(members.id, memberId)))
    .for('share')
  if (!found || found.disabledAt) return undefined
  return { roles: found.roles as Role[], billingProfiles: found.billingProfiles }
}
