import 'server-only'
import { and, asc, eq } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { billingProfiles } from '#lib/platform/db/schema/customers.ts'

/** Whom an invoice addresses; null: not known. */
export type BillingProfile = {
  id: string
  name: string
  /** A line of the address per line. */
  address: string | null
  postcode: string | null
  city: string | null
  /** Two letters, as `countryOf` of countries.ts gives them. */
  country: string | null
  taxId: string | null
  /** In its country's register of companies. */
  registration: string | null
}

const { id, name, address, postcode, city, country, taxId, registration } = billingProfiles

/** All of the customer's billing profiles, by id. */
export function listBillingProfiles(tx: Transaction, customerId: CustomerId): Promise<BillingProfile[]> {
  const own = eq(billingProfiles.customerId, customerId)
  return tx
    .select({ id, name, address, postcode, city, country, taxId, registration })
    .from(billingProfiles)
    .where(own)
    .orderBy(asc(id))
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
