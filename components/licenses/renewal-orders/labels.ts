import { licensesText } from '#components/licenses/assets/labels.ts'
import { atItsEnd } from '#lib/licenses/assets/rules.ts'
import type { Renewal, RenewalOrder } from '#lib/licenses/renewal-orders/contract.ts'

/** Describes an order: `96 licenses`, or `Renews with the licenses in use`. */
export function orderText({ quantity, renewalType }: Pick<RenewalOrder, 'quantity' | 'renewalType'>): string {
  return quantity === undefined ? renewalTypeText(renewalType ?? '') : licensesText(quantity)
}

/** Describes a vendor's type of renewal. */
export function renewalTypeText(renewalType: string): string {
  const { verb, how } = atItsEnd(renewalType)
  return [verb, how ?? 'with the same licenses'].join(' ')
}

/** Why nothing can be ordered for the next term. */
export function becauseText(because: Renewal['because']): string {
  const texts = {
    not_active: 'The next term can be ordered only while the subscription is active.',
    no_commitment: 'The plan has no commitment: its licenses can be changed at any time.',
    not_offered: 'The vendor takes no orders for the next term of this plan.',
    no_end: 'Nothing can be ordered: it is not known when the commitment ends.',
    ended: 'The commitment has just ended. The next term will be shown here.',
    ends: 'The plan is not renewed when its commitment ends. Ask your reseller if it should be.',
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
