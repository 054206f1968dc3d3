import { factsOf } from '#components/licenses/assets/labels.ts'
import { seatsOf } from '#components/licenses/assets/one-asset.ts'
import { decideQuantity } from '#lib/licenses/assets/commitment.ts'
import type { Asset, AssetListItem } from '#lib/licenses/assets/contract.ts'

/**
 * What takes a change back, as far as this screen can tell: the former total, for the very version that the change made.
 * Undefined where plan or vendor bind: nobody buys for a term, or gives seats back, by a word in passing.
 * @param asset as the change's answer has it, and its version
 * @param former the total before
 */
export function undoOf(
  { vendor }: Pick<AssetListItem, 'vendor'>,
  asset: Asset,
  etag: string | undefined,
  former: number,
): { quantity: number; from: number; etag: string } | undefined {
  const { subscription } = asset.properties
  const from = seatsOf(asset)
  if (!subscription || from === undefined || etag === undefined) return undefined
  const facts = factsOf(subscription)
  if (facts.isCommitmentPlan || !decideQuantity(facts, former).allowed) return undefined
  // Such an increase can't be taken back later, and such a decrease may not be taken.
  if (vendor?.locksIncreases) return undefined
  return { quantity: former, from, etag }
}
