import type { ReactNode } from 'react'
import { costText } from '#components/licenses/assets/cost.ts'
import {
  licensesText,
  type Subscription,
  toQuantityState,
  untilText,
} from '#components/licenses/assets/labels.ts'
import type { LastPrice } from '#lib/costs/license-prices/rules.ts'
import type { AssetListItem } from '#lib/licenses/assets/contract.ts'
import { dayText } from '#lib/platform/values/days.ts'

type ChangeMeaningProps = {
  item: AssetListItem
  subscription: Subscription
  quantity: number
  lastPrice: LastPrice | undefined
}

/** Returns whether the vendor is known to refuse a total: it takes no licenses from users who have them. */
export function isBelowAssigned(
  { vendor }: AssetListItem,
  { Seats }: Subscription,
  quantity: number,
): boolean {
  return quantity < Seats.LicensedNumberOfSeats && !vendor?.takesLicenses
}

/** Consequences of a new total: free licenses, conditions of plan and vendor, and the costs where a price is known. */
export function ChangeMeaning({ item, subscription, quantity, lastPrice }: ChangeMeaningProps) {
  const { vendor } = item
  const { LicensedNumberOfSeats: assigned, NumberOfSeats: purchased } = subscription.Seats
  const missing = assigned - quantity
  const count = assigned.toLocaleString('en')
  if (isBelowAssigned(item, subscription, quantity)) {
    return (
      <Warning>
        That is below the {count} assigned: the vendor will refuse. Unassign {missing.toLocaleString('en')}{' '}
        first, or choose {count} or more.
      </Warning>
    )
  }
  const cost = vendor?.quantityIsCap
    ? capText(quantity)
    : lastPrice && costText(quantity - purchased, lastPrice)
  return (
    <>
      {missing > 0 ? (
        <Warning>
          That is below the {count} assigned: {vendor?.label} may take the licenses of{' '}
          {missing === 1 ? 'a user' : `${missing.toLocaleString('en')} users`} away.{' '}
        </Warning>
      ) : (
        `${count} assigned, ${(-missing).toLocaleString('en')} unassigned. `
      )}
      {effectText(item, subscription, quantity)} {cost}
      {item.scheduled ? <Warning> {scheduledText(item)}</Warning> : null}
    </>
  )
}

function Warning({ children }: { children: ReactNode }) {
  return <strong className="font-[550] text-warn">{children}</strong>
}

/** Returns when the change takes effect, and whether it can be taken back. */
function effectText({ vendor }: AssetListItem, subscription: Subscription, quantity: number): string {
  const { isCommitmentPlan, commitmentEnd, purchased } = toQuantityState(subscription)
  if (isCommitmentPlan) {
    return `Commitment plan: takes effect now and can’t be lowered ${untilText(commitmentEnd)}.`
  }
  if (!vendor?.locksIncreases) return 'Takes effect now, and can be changed again at any time.'
  return quantity > purchased
    ? `Takes effect now. ${vendor.label} takes licenses back for a few days only, then not before the term ends.`
    : `${vendor.label} takes back only licenses that were added in the last few days, and refuses others.`
}

/** Returns a sentence on the bill where the total is a cap. */
function capText(quantity: number): string {
  return `This is a cap, not a bill: what is in use is billed, up to ${licensesText(quantity)}.`
}

/**
 * Returns a sentence on the order for the next term: a vendor may drop it, and an order made here is submitted again.
 */
function scheduledText({ vendor, scheduled }: AssetListItem): string {
  if (!scheduled) return ''
  const when = scheduled.time === undefined ? 'the next renewal' : `the renewal on ${dayText(scheduled.time)}`
  const total = licensesText(scheduled.quantity)
  if (vendor?.name === 'built-in') return `${total} from ${when} on stay ordered.`
  return `${vendor?.label ?? 'The vendor'} has ${total} scheduled for ${when}: a change now may delete that there. What was ordered here is ordered again.`
}
