import 'server-only'
import type { LicensedRow } from '#lib/licenses/assets/store.ts'
import { Problem } from '#lib/platform/api/problem.ts'
import type { NoOrder, RenewalFacts } from './rules.ts'

// What an order is answered, in words, where it is not the renewal itself.

/** 409 where the subscription is not active; else 422, with why. */
export function notSupported(row: LicensedRow, because: NoOrder, label: string): Problem {
  if (because === 'not_active') {
    const detail = `The subscription is ${row.status}; its next term can be ordered only while it is ACTIVE.`
    return new Problem('subscription_not_active', detail, { members: { subscriptionStatus: row.status } })
  }
  const details = {
    no_commitment: 'The plan has no commitment: its licenses can be changed at any time.',
    not_offered: `${label} takes no orders for the next term of this plan.`,
    no_end: 'It is not known when the commitment ends, or how long the next term is.',
    ended: 'The commitment has just ended. Look at it again when the next term is known.',
    ends: 'The plan is not renewed when its commitment ends. Ask your reseller if it should be.',
  }
  return new Problem('renewal_not_supported', details[because])
}

/** 422: the vendor takes another kind of order. */
export function notOffered({ choice }: RenewalFacts, label: string): Problem {
  const detail =
    choice === 'total' || choice === undefined
      ? `${label} takes a total for the next term: name \`quantity\`.`
      : `${label} takes no total for the next term, only how to renew: ${choice.renewalTypes.join(', ')}.`
  return new Problem('renewal_not_supported', detail)
}

/** 409: a change holds the asset's row for longer than we may wait. */
export function busy(): Problem {
  return new Problem('change_in_progress', undefined, { headers: { 'Retry-After': '1' } })
}
