import { useEffect } from 'react'
import type { Subscription } from '#components/licenses/assets/labels.ts'
import type { useLicenseEdit } from '#components/licenses/license-changes/use-license-edit.ts'
import type { LastPrice } from '#lib/costs/license-prices/rules.ts'
import type { AssetListItem } from '#lib/licenses/assets/contract.ts'
import { ChangeReview } from './change-review.tsx'
import { Held, Waiting } from './held.tsx'
import { Refusal } from './refusal.tsx'

type Given = { item: AssetListItem; subscription: Subscription; edit: ReturnType<typeof useLicenseEdit> }

/** What a typed total would mean, or why it was refused. Stands where `edit.open` says so. */
export function LicenseReview({
  item,
  subscription,
  edit,
  lastPrice,
}: Given & { lastPrice: LastPrice | undefined }) {
  const { first, refused, held, waitUntil, arrive } = edit
  useEffect(arrive)
  const tryOther = (other: number) => {
    edit.edit(other)
    // What was pressed goes with its review.
    edit.input.current?.focus()
  }
  if (refused) {
    return (
      <Refusal
        {...refused}
        assigned={subscription.Seats.LicensedNumberOfSeats}
        first={first}
        onTry={tryOther}
        onAgain={edit.again}
        isCommitmentPlan={subscription.Plan.IsCommitmentPlan}
        onOverrule={(etag) => edit.submit(refused.quantity, etag)}
        onDiscard={edit.discard}
      />
    )
  }
  if (held) {
    return <Held openChange={held} quantity={edit.draft} first={first} onDiscard={edit.discard} />
  }
  if (waitUntil !== undefined) {
    return (
      <Waiting item={item} until={waitUntil} quantity={edit.draft} first={first} onDiscard={edit.discard} />
    )
  }
  return (
    <ChangeReview
      item={item}
      subscription={subscription}
      quantity={edit.draft}
      lastPrice={lastPrice}
      first={first}
      onSubmit={edit.submit}
      onTry={tryOther}
      onDiscard={edit.discard}
    />
  )
}
