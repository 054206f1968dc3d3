import 'server-only'
import { z } from 'zod'
import { type Answer, jsonOf } from '../client.ts'
import type { Observed } from '../vendor.ts'
import { rawSubscriptionOf } from './raw-subscription.ts'
import { isSame, isSameId, skuOf } from './same.ts'

const count = z.int().min(0).max(2_147_483_647)
const text = z.string().nullish()
/** Time; null if there is none. "Never" is a distant year. */
const time = text.transform((value) => {
  const date = value ? new Date(value) : null
  return date && Number.isFinite(date.getTime()) && date.getUTCFullYear() < 2200 ? date : null
})

/** Fields that we read of Partner Center's `Subscription`; others are ignored. */
const Subscription = z.object({
  id: z.string().min(1),
  /** product:SKU:availability in new commerce. */
  offerId: text,
  offerName: text.catch(undefined).transform((value) => value?.slice(0, 200) || undefined),
  quantity: count,
  status: z.string().min(1),
  isTrial: z.boolean().nullish(),
  billingType: text,
  billingCycle: text,
  /** ISO 8601 duration: P1M, P1Y, P3Y. */
  termDuration: text,
  autoRenewEnabled: z.boolean().nullish(),
  effectiveStartDate: time,
  commitmentEndDate: time,
  commitmentEndDateTime: time,
  /** What happens at the term's end; absent: not stated. Every part may be missing or another. */
  scheduledActions: z
    .array(z.object({ scheduleType: text.catch(null), actionType: text.catch(null) }))
    .nullish()
    .catch(undefined),
  /** Contains the customer's id. */
  links: z
    .object({ self: z.object({ uri: text }).nullish() })
    .nullish()
    .catch(undefined),
  scheduledNextTermInstructions: z
    .object({ quantity: count.nullish(), product: z.object({ quantity: count.nullish() }).nullish() })
    .nullish()
    .catch(undefined),
})

type Subscription = z.output<typeof Subscription>

const STATUSES: Record<string, string> = {
  active: 'ACTIVE',
  suspended: 'SUSPENDED',
  pending: 'PENDING',
  deleted: 'CANCELLED',
  expired: 'EXPIRED',
  disabled: 'DISABLED',
}

/** A one-month term does not count as a commitment: the vendor decides whether it can be lowered. */
const MONTH = 'P1M'

/** Properties of a subscription that its JSON lacks. */
type SubscriptionContext = {
  customerId: string
  /** ETag of the answer, if the object has none. */
  etag?: string | undefined
  assigned?: number | undefined
}

/** Returns the subscription of Partner Center's JSON; undefined if it is invalid. */
export function observedOf(
  json: string,
  { customerId, etag, assigned }: SubscriptionContext,
): Observed | undefined {
  const raw = jsonOf(json)
  const parsed = Subscription.safeParse(raw)
  if (!parsed.success) return undefined
  const subscription = parsed.data
  const owner = /customers\/([^/]+)\//i.exec(subscription.links?.self?.uri ?? '')?.[1]
  if (owner !== undefined && !isSameId(owner, encodeURIComponent(customerId))) return undefined
  const term = subscription.termDuration?.toUpperCase()
  const isCommitmentPlan = !subscription.isTrial && term !== undefined && term !== MONTH
  const end = subscription.commitmentEndDateTime ?? subscription.commitmentEndDate
  const instructions = subscription.scheduledNextTermInstructions
  const next =
    instructions && (instructions.quantity ?? instructions.product?.quantity ?? subscription.quantity)
  // The order of a plan that does not renew has no effect.
  const isOff = subscription.autoRenewEnabled === false
  const rawSubscription = rawSubscriptionOf(raw, { json, etag, termEnd: end })
  return {
    customerId,
    subscriptionId: subscription.id,
    skuId: skuOf(subscription.offerId ?? ''),
    skuName: subscription.offerName,
    status: STATUSES[subscription.status.toLowerCase()] ?? subscription.status,
    planName: planName(subscription, term),
    isCommitmentPlan,
    commitmentStart: isCommitmentPlan ? subscription.effectiveStartDate : null,
    commitmentEnd: isCommitmentPlan ? end : null,
    renewalType: isCommitmentPlan ? renewalType(subscription) : null,
    seats: { purchased: subscription.quantity, maximum: subscription.quantity, assigned },
    scheduled: typeof next !== 'number' || isOff ? undefined : { total: next, at: end },
    version: rawSubscription.etag,
    own: rawSubscription,
  }
}

/**
 * Merges the answer to a write into the subscription that was read before; undefined if it is invalid, or of another
 * subscription.
 */
export function changedOf(before: Observed, { text, headers }: Answer): Observed | undefined {
  const { customerId, seats } = before
  const changed = observedOf(text, { customerId, etag: etagOf(headers), assigned: seats.assigned })
  return changed && isSame(before, changed) ? changed : undefined
}

export function etagOf(headers: Headers): string | undefined {
  return headers.get('etag') ?? undefined
}

/** Returns the subscription with its assigned licenses, which are read separately. */
export function withAssigned(observed: Observed, assigned: number | undefined): Observed {
  return { ...observed, seats: { ...observed.seats, assigned } }
}

/** Returns whether a subscription is billed by usage, and so has no licenses to count. */
export function isMetered(item: unknown): boolean {
  return Subscription.safeParse(item).data?.billingType?.toLowerCase() === 'usage'
}

function planName({ isTrial, billingCycle }: Subscription, term: string | undefined): string {
  if (isTrial) return 'TRIAL'
  if (term === MONTH) return 'FLEXIBLE'
  const cycle = billingCycle?.toLowerCase()
  if (term === 'P1Y' && cycle === 'monthly') return 'ANNUAL_MONTHLY_PAY'
  if (term === 'P1Y' && cycle === 'annual') return 'ANNUAL_YEARLY_PAY'
  return [term, billingCycle].filter(Boolean).join(' ') || 'UNKNOWN'
}

/**
 * Returns the type of renewal. Only a Cancel ends a subscription: one that is not renewed goes on as a paid Extended Service Term, also where nothing is
 * stated. (Rules of 4 May 2026.)
 */
function renewalType({ autoRenewEnabled, billingCycle, scheduledActions }: Subscription): string | null {
  const atEnd = scheduledActions?.find(({ scheduleType }) => scheduleType?.toLowerCase() === 'termend')
  const action = atEnd?.actionType?.toLowerCase()
  if (!autoRenewEnabled && action === 'cancel') return 'CANCEL'
  if (!autoRenewEnabled && action === 'renewtoextendedserviceterm') return 'EXTENDED_SERVICE_TERM'
  if (autoRenewEnabled === null || autoRenewEnabled === undefined) return null
  if (!autoRenewEnabled) return 'EXTENDED_SERVICE_TERM_UNLESS_CANCELLED'
  const cycle = billingCycle?.toLowerCase()
  if (cycle === 'monthly') return 'AUTO_RENEW_MONTHLY_PAY'
  return cycle === 'annual' ? 'AUTO_RENEW_YEARLY_PAY' : 'AUTO_RENEW'
}
