import { type RefObject, useEffect } from 'react'
import { licensesText, type Subscription } from '#components/licenses/assets/labels.ts'
import type { OpenChange } from '#components/licenses/assets/one-asset.ts'
import type { LicenseEdit } from '#components/licenses/license-changes/use-license-edit.ts'
import { whoText } from '#components/platform/values/who.ts'
import { ClockTime } from '#components/platform/waits/clock-time.tsx'
import { Button } from '#components/ui/button.tsx'
import type { LastPrice } from '#lib/costs/license-prices/rules.ts'
import type { AssetListItem } from '#lib/licenses/assets/contract.ts'
import { ReviewBox } from '../license-changes/review-box.tsx'
import { ChangeError } from './change-error.tsx'
import { ChangeReview } from './change-review.tsx'

type LicenseReviewProps = {
  item: AssetListItem
  subscription: Subscription
  edit: LicenseEdit
}

/** Review of a typed total, or the reason of its rejection. Rendered while `edit.open`. */
export function LicenseReview({
  item,
  subscription,
  edit,
  lastPrice,
}: LicenseReviewProps & { lastPrice: LastPrice | undefined }) {
  const { firstControl: first, failedChange, openChange, waitUntil, handleReviewReady } = edit
  useEffect(handleReviewReady)
  const tryOther = (other: number) => {
    edit.setQuantity(other)
    // The pressed button disappears with its review.
    edit.input.current?.focus()
  }
  if (failedChange) {
    return (
      <ChangeError
        {...failedChange}
        assigned={subscription.Seats.LicensedNumberOfSeats}
        first={first}
        onTry={tryOther}
        onAgain={edit.retry}
        isCommitmentPlan={subscription.Plan.IsCommitmentPlan}
        onOverrule={(etag) => edit.submit(failedChange.quantity, etag)}
        onDiscard={edit.discard}
      />
    )
  }
  if (openChange) {
    return (
      <OpenChangeReview
        openChange={openChange}
        quantity={edit.draft}
        first={first}
        onDiscard={edit.discard}
      />
    )
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

/** Replaces the review while the vendor accepts no change: the typed total is kept. */
function Waiting({
  item,
  until,
  quantity,
  first,
  onDiscard,
}: {
  item: AssetListItem
  until: number
  quantity: number | null
  first: RefObject<HTMLElement | null>
  onDiscard: () => void
}) {
  return (
    <ReviewBox
      live="polite"
      title={
        <span>
          {item.vendor?.label ?? 'The vendor'} takes no change before <ClockTime at={until} />
        </span>
      }
      actions={
        <Button ref={first as RefObject<HTMLButtonElement>} onClick={onDiscard}>
          Discard
        </Button>
      }
    >
      Your {quantity?.toLocaleString('en') ?? 'number'} is kept on this page, and can be reviewed then.
    </ReviewBox>
  )
}

/** Replaces the review while another change of the asset is open: the typed total is kept. */
function OpenChangeReview({
  openChange: { to, actor },
  quantity,
  first,
  onDiscard,
}: {
  openChange: OpenChange
  quantity: number | null
  first: RefObject<HTMLElement | null>
  onDiscard: () => void
}) {
  return (
    <ReviewBox
      live="polite"
      title="Another change is being confirmed"
      actions={
        <Button ref={first as RefObject<HTMLButtonElement>} onClick={onDiscard}>
          Discard
        </Button>
      }
    >
      {actor.name ? whoText(actor) : 'Someone'} asked for {licensesText(to)}, and the vendor has not confirmed
      it yet. Your {quantity?.toLocaleString('en') ?? 'number'} is kept, and can be reviewed then.
    </ReviewBox>
  )
}
