import 'server-only'
import type { Caller } from '#lib/access/rules.ts'
import { readScope } from '#lib/db/scope.ts'
import type { BillingProfile } from './rules.ts'
import { listBillingProfiles } from './store.ts'

/** Those that the caller may see, by id. */
export async function listOwnProfiles(caller: Caller): Promise<BillingProfile[]> {
  const all = await readScope(caller, (tx) => listBillingProfiles(tx, caller.customerId))
  return all.filter((profile) => caller.billingProfiles.includes(profile.id))
}
