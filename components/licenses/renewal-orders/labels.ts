import type { Renewal, RenewalOrder } from '#lib/licenses/renewal-orders/contract.ts'
import { orderText, renewalTypeText } from '#lib/licenses/renewal-orders/rules.ts'
import { dayText } from '#lib/platform/values/days.ts'

/** Describes an order and its date: `96 licenses from 3 Dec 2026`, `Ends on 3 Dec 2026`. */
export function datedOrderText({ time, action, ...order }: RenewalOrder): string {
  return `${orderText(order)} ${action ? 'on' : 'from'} ${dayText(time)}`
}

/** Describes the renewal without an order: `Renews with the same licenses on 3 Dec 2026; 120 now.` */
export function atRenewalText({ time, renewalType, quantity }: Renewal): string {
  const when = time === undefined ? 'when its term ends' : `on ${dayText(time)}`
  const what = renewalType ? renewalTypeText(renewalType) : 'The commitment ends'
  return `${what} ${when}; ${quantity.toLocaleString('en')} now.`
}

/** Why nothing can be ordered for the next term. */
export function becauseText(because: Renewal['because']): string {
  const texts = {
    not_active: 'The next term can be ordered only while the subscription is active.',
    no_commitment: 'The plan has no commitment: its licenses can be changed at any time.',
    not_offered: 'The vendor takes no orders for the next term of this plan.',
    no_end: 'Nothing can be ordered: it is not known when the commitment ends.',
    ended: 'The commitment has just ended. The next term will be shown here.',
    ends: 'The plan ends with its commitment. To renew instead, contact your reseller.',
  }
  return because ? texts[because] : ''
}

const OUTCOMES: Record<string, string> = {
  APPLIED: 'The term began as ordered.',
  REJECTED: 'The last order was refused.',
  LOST: 'The last order is gone.',
  UNCLEAR: 'The outcome of the last order is not certain. Your reseller looks at it.',
}

/** Returns the outcome of the last order, where it is news; undefined where a member withdrew the order. */
export function outcomeText({ state, reason }: RenewalOrder): string | undefined {
  const outcome = OUTCOMES[state]
  return outcome && [outcome, reason].filter(Boolean).join(' ')
}
