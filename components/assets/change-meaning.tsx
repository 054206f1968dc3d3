import { costText, type LastPrice } from './cost.ts'
import { factsOf, type Subscription, untilText } from './plan.ts'

/** What a new total leaves free, what the plan makes of it, and what it costs where a price is known. */
export function ChangeMeaning({
  subscription,
  quantity,
  lastPrice,
}: {
  subscription: Subscription
  quantity: number
  lastPrice: LastPrice | undefined
}) {
  const change = quantity - subscription.Seats.NumberOfSeats
  const facts = factsOf(subscription)
  const assigned = subscription.Seats.LicensedNumberOfSeats
  const free = quantity - assigned
  const count = assigned.toLocaleString('en')
  if (free < 0) {
    return (
      <strong className="font-[550] text-warn">
        That is below the {count} assigned: the vendor will refuse. Unassign {(-free).toLocaleString('en')}{' '}
        first, or choose {count} or more.
      </strong>
    )
  }
  return (
    <>
      {`${count} ${assigned === 1 ? 'is' : 'are'} assigned, so ${free.toLocaleString('en')} ${free === 1 ? 'stays' : 'stay'} free. `}
      {facts.isCommitmentPlan
        ? `Commitment plan: takes effect now and can’t be lowered ${untilText(facts.commitmentEnd)}. `
        : 'Takes effect now, and can be changed again at any time. '}
      {lastPrice ? costText(change, lastPrice) : null}
    </>
  )
}
