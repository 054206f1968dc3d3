import 'server-only'
import { z } from 'zod'
import type { Observed } from '../vendor.ts'

const text = z.string().min(1).max(300)
const count = z.int().min(0).max(2_147_483_647)
/** Epoch milliseconds, which Google sends as text. Invalid text counts as unknown. */
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

/** Fields that we read of the Reseller API's `Subscription`; others are ignored. */
const Full = z.object({
  customerId: text,
  subscriptionId: text,
  skuId: text,
  status: text,
  plan,
  seats,
  renewalSettings,
})

/** Answer of changeSeats: any field may be missing except the seats. */
const Changed = Full.partial().required({ seats: true })

const Customer = z.object({ customerId: text, customerDomain: text.optional().catch(undefined) })

/** Returns whether a subscription belongs to the customer of this name: Google accepts an id or a domain as name. */
export function isOfCustomer(resource: unknown, name: string): boolean {
  const { customerId, customerDomain } = Customer.safeParse(resource).data ?? {}
  return customerId === name || customerDomain?.toLowerCase() === name.toLowerCase()
}

/** Returns the subscription of an answer to `get` or `list`; undefined if it is invalid. */
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
 * Merges the answer of changeSeats into the subscription that was read before; undefined if it is invalid, or of
 * another subscription. The id may have changed if all other fields are present and equal.
 */
export function changedOf(before: Observed, resource: unknown): Observed | undefined {
  const changed = Changed.safeParse(resource)
  if (!changed.success) return undefined
  const { subscriptionId, status, plan = before, seats, renewalSettings, ...names } = changed.data
  const bought = boughtSeats(plan, seats)
  // Missing fields are taken from the previous read only for the requested subscription.
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

/** Google's two fields for the purchased licenses; the plan decides which one counts. */
export type GoogleSeats = {
  numberOfSeats?: number | undefined
  maximumNumberOfSeats?: number | undefined
}

export type GooglePlan = { planName: string; isCommitmentPlan: boolean }

/** Returns the plan's name as in reads: writes say ANNUAL_MONTHLY_PAY for ANNUAL. */
export function planNameOf(name: string): string {
  return name === 'ANNUAL' ? 'ANNUAL_MONTHLY_PAY' : name
}

/** Returns the field of a plan's purchased licenses; Google refuses the other one. */
export function seatField({ planName, isCommitmentPlan }: GooglePlan): keyof GoogleSeats {
  if (/^ANNUAL(_|$)/.test(planName)) return 'numberOfSeats'
  if (planName === 'FLEXIBLE' || planName === 'TRIAL') return 'maximumNumberOfSeats'
  return isCommitmentPlan ? 'numberOfSeats' : 'maximumNumberOfSeats'
}

/**
 * Returns the purchased licenses and the cap, in whole licenses. An annual plan purchases a number, and may have an
 * additional cap. Any other plan has a cap, which is both.
 * @returns undefined if the plan's field is missing
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
