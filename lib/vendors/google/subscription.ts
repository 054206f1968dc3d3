import 'server-only'
import { z } from 'zod'
import type { Observed } from '../vendor.ts'

const text = z.string().min(1).max(300)
const count = z.int().min(0).max(2_147_483_647)
/** Epoch milliseconds, which Google writes as text. What makes no sense is not known. */
const time = z
  .string()
  .regex(/^\d{1,14}$/)
  .transform((milliseconds) => new Date(Number(milliseconds)))
  .optional()
  .catch(undefined)

const plan = z.object({
  planName: text,
  isCommitmentPlan: z.boolean(),
  commitmentInterval: z.object({ startTime: time, endTime: time }).optional().catch(undefined),
})
const seats = z.object({
  numberOfSeats: count.optional(),
  maximumNumberOfSeats: count.optional(),
  licensedNumberOfSeats: count.optional(),
})
const renewalSettings = z.object({ renewalType: text.optional() }).optional().catch(undefined)

/** What we read of the Reseller API's `Subscription`: it has more, and may grow. */
const Full = z.object({
  customerId: text,
  subscriptionId: text,
  skuId: text,
  status: text,
  plan,
  seats,
  renewalSettings,
})

/** The answer of changeSeats leaves out what it pleases, but says the seats. */
const Changed = Full.partial().required({ seats: true })

const Customer = z.object({ customerId: text, customerDomain: text.optional().catch(undefined) })

/** Whether a subscription is said to be of the customer that we call so: Google takes an id, or a domain, for a name. */
export function isOfCustomer(resource: unknown, name: string): boolean {
  const { customerId, customerDomain } = Customer.safeParse(resource).data ?? {}
  return customerId === name || customerDomain?.toLowerCase() === name.toLowerCase()
}

/** A subscription as `get` and `list` tell it; undefined where it makes no sense. */
export function observedOf(resource: unknown): Observed | undefined {
  const full = Full.safeParse(resource)
  const bought = full.success && boughtSeats(full.data.plan, full.data.seats)
  if (!full.success || !bought) return undefined
  const { customerId, subscriptionId, skuId, status, plan, seats, renewalSettings } = full.data
  return {
    customerId,
    subscriptionId,
    skuId,
    status,
    planName: planNameOf(plan.planName),
    isCommitmentPlan: plan.isCommitmentPlan,
    commitmentStart: plan.commitmentInterval?.startTime ?? null,
    commitmentEnd: plan.commitmentInterval?.endTime ?? null,
    renewalType: renewalSettings?.renewalType ?? null,
    seats: { ...bought, assigned: seats.licensedNumberOfSeats },
  }
}

/**
 * The answer of changeSeats over what was read before; undefined where it makes no sense, or is of another one. The id
 * may be a new one where the rest is told to be the same.
 */
export function changedOf(before: Observed, resource: unknown): Observed | undefined {
  const changed = Changed.safeParse(resource)
  if (!changed.success) return undefined
  const { subscriptionId, status, plan = before, seats, renewalSettings, ...names } = changed.data
  const bought = boughtSeats(plan, seats)
  // What is left out is believed to be as before only of the subscription that was asked for.
  const previous = (subscriptionId ?? before.subscriptionId) === before.subscriptionId ? before : undefined
  const { customerId = previous?.customerId, skuId = previous?.skuId } = names
  if (!bought || customerId !== before.customerId || skuId !== before.skuId) return undefined
  const interval = 'commitmentInterval' in plan ? plan.commitmentInterval : undefined
  return {
    ...before,
    subscriptionId: subscriptionId ?? before.subscriptionId,
    status: status ?? before.status,
    planName: planNameOf(plan.planName),
    isCommitmentPlan: plan.isCommitmentPlan,
    commitmentStart: interval?.startTime ?? before.commitmentStart,
    commitmentEnd: interval?.endTime ?? before.commitmentEnd,
    renewalType: renewalSettings?.renewalType ?? before.renewalType,
    seats: { ...bought, assigned: seats.licensedNumberOfSeats ?? before.seats.assigned },
  }
}

/** Google's two words for what was bought; which one counts depends on the plan. */
export type GoogleSeats = {
  numberOfSeats?: number | undefined
  maximumNumberOfSeats?: number | undefined
}

export type GooglePlan = { planName: string; isCommitmentPlan: boolean }

/** Reads say ANNUAL where writes say ANNUAL_MONTHLY_PAY. */
export function planNameOf(name: string): string {
  return name === 'ANNUAL' ? 'ANNUAL_MONTHLY_PAY' : name
}

/** The field that a plan's licenses are bought by; the other one is refused. */
export function seatField({ planName, isCommitmentPlan }: GooglePlan): keyof GoogleSeats {
  if (/^ANNUAL(_|$)/.test(planName)) return 'numberOfSeats'
  if (planName === 'FLEXIBLE' || planName === 'TRIAL') return 'maximumNumberOfSeats'
  return isCommitmentPlan ? 'numberOfSeats' : 'maximumNumberOfSeats'
}

/**
 * What was bought, in whole licenses. An annual plan buys a number, and may state a cap beside it. Any other plan
 * has a cap, which stands for both.
 * @returns undefined where the plan's field is missing
 */
export function boughtSeats(
  plan: GooglePlan,
  { numberOfSeats, maximumNumberOfSeats }: GoogleSeats,
): { purchased: number; maximum: number } | undefined {
  const isNumber = seatField(plan) === 'numberOfSeats'
  const purchased = isNumber ? numberOfSeats : (maximumNumberOfSeats ?? numberOfSeats)
  if (purchased === undefined) return undefined
  return { purchased, maximum: maximumNumberOfSeats ?? purchased }
}
