import 'server-only'
import { and, asc, eq } from 'drizzle-orm'
import type { Transaction } from '#lib/db/client.ts'
import { billingProfiles } from '#lib/db/schema.ts'
import { readScope } from '#lib/db/scope.ts'
import type { Caller, CustomerId } from './rules.ts'

/** Whom an invoice addresses; null: not known. */
export type BillingProfile = {
  id: string
  name: string
  /** A line of the address per line. */
  address: string | null
  taxId: string | null
}

const { id, name, address, taxId } = billingProfiles

/** All of the customer's billing profiles, by id. */
export function listBillingProfiles(tx: Transaction, customerId: CustomerId): Promise<BillingProfile[]> {
  const own = eq(billingProfiles.customerId, customerId)
  return tx.select({ id, name, address, taxId }).from(billingProfiles).where(own).orderBy(asc(id))
}

/** Those that the caller may see, by id. */
export async function listOwnProfiles(caller: Caller): Promise<BillingProfile[]> {
  const all = await readScope(caller, (tx) => listBillingProfiles(tx, caller.customerId))
  return all.filter((profile) => caller.billingProfiles.includes(profile.id))
}

/**
 * Changes what is given of a billing profile, or adds one.
 * @returns false where there is none and none can be added, because its name is not given
 */
export async function setBillingProfile(
  tx: Transaction,
  customerId: CustomerId,
  { id: profileId, ...given }: Pick<BillingProfile, 'id'> & Partial<BillingProfile>,
): Promise<boolean> {
  const own = and(eq(billingProfiles.customerId, customerId), eq(id, profileId))
  const [known] = await tx.select({ id }).from(billingProfiles).where(own).for('no key update')
  if (known) {
    if (Object.keys(given).length > 0) await tx.update(billingProfiles).set(given).where(own)
    return true
  }
  if (given.name === undefined) return false
  await tx.insert(billingProfiles).values({ customerId, id: profileId, ...given, name: given.name })
  return true
}
