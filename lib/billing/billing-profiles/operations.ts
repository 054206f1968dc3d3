import 'server-only'
import { type BillingProfile, listBillingProfiles } from '#lib/identity/customers/billing-profiles.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { readScope } from '#lib/platform/db/scope.ts'

/** Those that the caller may see, by id. */
export async function listOwnProfiles(caller: Caller): Promise<BillingProfile[]> {
  const all = await readScope(caller, (tx) => listBillingProfiles(tx, caller.customerId))
  return all.filter((profile) => caller.billingProfiles.includes(profile.id))
}
