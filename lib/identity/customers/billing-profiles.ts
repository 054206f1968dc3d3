import 'server-only'
import { and, asc, eq } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { billingProfiles } from '#lib/platform/db/schema/customers.ts'

/** Addressee of invoices; null: unknown. */
export type BillingProfile = {
  id: string
  name: string
  /** Postal address, one line per line. */
  address: string | null
  postcode: string | null
  city: string | null
  /** Two-letter country code, as `countryOf` of countries.ts returns. */
  country: string | null
  taxId: string | null
  /** Number in the company register of its country. */
  registration: string | null
}

const { id, name, address, postcode, city, country, taxId, registration } = billingProfiles

/** Lists all of the customer's billing profiles, by id. */
export function listBillingProfiles(tx: Transaction, customerId: CustomerId): Promise<BillingProfile[]> {
  const customerFilter = eq(billingProfiles.customerId, customerId)
  return tx
    .select({ id, name, address, postcode, city, country, taxId, registration })
    .from(billingProfiles)
    .where(customerFilter)
    .orderBy(asc(id))
}

/**
 * Changes the given fields of a billing profile, or adds the profile.
 * @returns false where the profile does not exist and can't be added, because its name is missing
 */
export async function setBillingProfile(
  tx: Transaction,
  customerId: CustomerId,
  { id: profileId, ...values }: Pick<BillingProfile, 'id'> & Partial<BillingProfile>,
): Promise<boolean> {
  const profileFilter = and(eq(billingProfiles.customerId, customerId), eq(id, profileId))
  const [existing] = await tx.select({ id }).from(billingProfiles).where(profileFilter).for('no key update')
  if (existing) {
    if (Object.keys(values).length > 0) await tx.update(billingProfiles).set(values).where(profileFilter)
    return true
  }
  if (values.name === undefined) return false
  await tx.insert(billingProfiles).values({ customerId, id: profileId, ...values, name: values.name })
  return true
}
