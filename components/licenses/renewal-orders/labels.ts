import { licensesText } from '#components/licenses/assets/labels.ts'
import { atItsEnd } from '#lib/licenses/assets/rules.ts'
import type { Renewal, RenewalOrder } from '#lib/licenses/renewal-orders/contract.ts'
import { orderText } from '#lib/licenses/renewal-orders/rules.ts'
import { dayText } from '#lib/platform/values/days.ts'

/** Describes an order and its date: `96 licenses from 3 Dec 2026`, `Ends on 3 Dec 2026`. */
export function datedOrderText({ time, ...order }: RenewalOrder): string {
  return orderText(order, dayText(time))
}

/** Describes the end of the term as the vendor shows it: `Renews on 3 Dec 2026 with 120 licenses.` */
export function atRenewalText({ time, renewalType, quantity, order }: Renewal): string {
  const { outcome, verb, how } = renewalType ? atItsEnd(renewalType) : { verb: 'Commitment ends' }
  const when = time === undefined ? 'when its term ends' : `on ${dayText(time)}`
  const ordered = order?.isPlaced && outcome === 'renews' ? order.quantity : undefined
  const isSame = outcome === 'extended-term' || (outcome === 'renews' && how === undefined)
  const total = isSame ? `with ${licensesText(ordered ?? quantity)}` : undefined
  return `${[verb, when, total, how].filter(Boolean).join(' ')}.`
}

/** Why nothing can be ordered for the next term. */
export function becauseText(because: Renewal['because']): string {
  const texts = {
    not_active: 'The next term can be ordered only while the subscription is active.',
    no_commitment: 'The plan has no commitment: its licenses can be changed at any time.',
    not_offered: 'The vendor takes no orders for the next term of this plan.',
    no_end: 'Nothing can be ordered: it is not known when the commitment ends.',
    ended: 'The commitment has just ended. The next term will be shown here.',
    ends: 'To renew instead, contact your reseller.',
  }
  return because ? texts[because] : ''
}

const OUTCOMES: Record<string, string> = {
  APPLIED: 'The term began as ordered.',
  REJECTED: 'The last order was refused.',
  LOST: 'The last order is gone.',
  UNCLEAR: 'We couldn’t confirm the last order. Your reseller is checking it.',
}

/** Returns the outcome of the last order, where it is news; undefined where a member withdrew the order. */
export function outcomeText({ state, reason }: RenewalOrder): string | undefined {
  const outcome = OUTCOMES[state]
  return outcome && [outcome, reason].filter(Boolean).join(' ')
}
