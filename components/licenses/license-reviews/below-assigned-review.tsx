import { type RefObject, useId } from 'react'
import { differenceText, licensesText, type Subscription } from '#components/licenses/assets/labels.ts'
import { Badge } from '#components/ui/badge.tsx'
import { Button } from '#components/ui/button.tsx'
import { escapeInvisible } from '#components/ui/escape-invisible.ts'
import type { AssetListItem } from '#lib/licenses/assets/contract.ts'
import { ReviewBox } from '../license-changes/review-box.tsx'
import { ChangeMeaning } from './change-meaning.tsx'

/**
 * Review of a total below the assigned licenses, which the vendor is known to refuse. Offers the lowest accepted total;
 * a member who has unassigned licenses in the meantime can still request their own total.
 */
export function BelowAssignedReview({
  item,
  subscription,
  quantity,
  change,
  first,
  onTry,
  onSubmit,
  onDiscard,
}: {
  item: AssetListItem
  subscription: Subscription
  quantity: number
  change: number
  first: RefObject<HTMLElement | null>
  /** Reviews another total. */
  onTry: (quantity: number) => void
  onSubmit: (quantity: number) => void
  onDiscard: () => void
}) {
  const id = useId()
  const { LicensedNumberOfSeats: assigned, NumberOfSeats: purchased } = subscription.Seats
  const isLowest = assigned >= purchased
  return (
    <ReviewBox
      id={id}
      live="polite"
      title={`${escapeInvisible(item.assetName)}: ${purchased.toLocaleString('en')} → ${licensesText(quantity)}`}
      badge={<Badge tone="warn">{differenceText(change)}</Badge>}
      actions={
        <>
          {isLowest ? null : (
            <Button variant="quiet" onClick={onDiscard}>
              Discard
            </Button>
          )}
          {/* Ignores a double click that began elsewhere. */}
          <Button variant="quiet" onClick={(event) => event.detail > 1 || onSubmit(quantity)}>
            Ask for {quantity.toLocaleString('en')} all the same
          </Button>
          <Button
            ref={first as RefObject<HTMLButtonElement>}
            variant="primary"
            onClick={() => (isLowest ? onDiscard() : onTry(assigned))}
            aria-describedby={id}
          >
            {isLowest ? `Keep ${licensesText(purchased)}` : `Choose ${licensesText(assigned)}`}
          </Button>
        </>
      }
    >
      <ChangeMeaning item={item} subscription={subscription} quantity={quantity} lastPrice={undefined} />
    </ReviewBox>
  )
}
