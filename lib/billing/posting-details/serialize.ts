import type { AssetPosting, BillingProfile } from './contract.ts'
import type { AssetPostingDetails } from './rules.ts'
import type { ProfileRow } from './store.ts'

export function serializeProfile({
  id,
  name,
  country,
  buyerReference,
  ...details
}: ProfileRow): BillingProfile {
  return {
    id,
    name,
    ...(country === null ? {} : { country }),
    ...serializeDetails(details),
    ...(buyerReference === null ? {} : { buyerReference }),
  }
}

export function serializeDetails({ purchaseOrder, costCenter }: AssetPostingDetails): AssetPosting {
  return {
    ...(purchaseOrder === null ? {} : { purchaseOrder }),
    ...(costCenter === null ? {} : { costCenter }),
  }
}
