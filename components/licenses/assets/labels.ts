import type { Asset, AssetListItem } from '#lib/licenses/assets/contract.ts'
import { decideQuantity, type QuantityState } from '#lib/licenses/assets/quantity-rule.ts'
import { atItsEnd } from '#lib/licenses/assets/rules.ts'
import type { LicenseChange } from '#lib/licenses/license-changes/contract.ts'
import { dayText } from '#lib/platform/values/days.ts'

export type Subscription = NonNullable<Asset['properties']['subscription']>

const PLANS: Record<string, string> = {
  FLEXIBLE: 'Flexible',
  ANNUAL_MONTHLY_PAY: 'Annual, monthly pay',
  ANNUAL_YEARLY_PAY: 'Annual, yearly pay',
  TRIAL: 'Trial',
}

/** Returns a plan's display name; unknown names are returned unchanged. */
export function planName(subscription: Subscription): string {
  return PLANS[subscription.Plan.PlanName] ?? subscription.Plan.PlanName
}

/** Returns a sentence on the end of the plan and its date; undefined where no date is known. */
export function planEnd({ Plan, RenewalSettings }: Subscription): string | undefined {
  if (Plan.CommitmentEndTime === undefined) return undefined
  const day = dayText(Plan.CommitmentEndTime)
  const renewal = RenewalSettings?.renewalType ?? ''
  if (renewal) {
    const { verb, how } = atItsEnd(renewal)
    return [verb, day, how].filter(Boolean).join(' ')
  }
  return Plan.IsCommitmentPlan ? `Committed until ${day}` : `Until ${day}`
}

/** Returns the values of a subscription that decide about its quantity. */
export function toQuantityState({ Status, Plan, Seats }: Subscription): QuantityState {
  return {
    status: Status,
    isCommitmentPlan: Plan.IsCommitmentPlan,
    purchased: Seats.NumberOfSeats,
    commitmentEnd: Plan.CommitmentEndTime,
  }
}

/** Returns why the quantity can't be changed, or lowered now, in a few words; undefined where it can. */
export function limitText(quantityState: QuantityState): string | undefined {
  const decision = decideQuantity(quantityState, Math.max(0, quantityState.purchased - 1))
  if (quantityState.purchased === 0 && quantityState.status === 'ACTIVE') return undefined
  if (decision.allowed) return undefined
  if (decision.reason === 'not_active')
    return `Can’t be changed while ${statusText(decision.status).toLowerCase()}`
  return `Can’t be lowered ${untilText(decision.until)}`
}

/** Returns `before 1 Mar 2027`, or a text without the date. */
export function untilText(until: number | undefined): string {
  return until === undefined ? 'during the commitment' : `before ${dayText(until)}`
}

/** Returns the scheduled quantity: `96 from 3 Dec 2026`. */
export function nextText({ quantity, time }: NonNullable<AssetListItem['scheduled']>): string {
  return `${quantity.toLocaleString('en')} from ${time === undefined ? 'the renewal on' : dayText(time)}`
}

/** Returns the display name of a status: `SUSPENDED` is "Suspended". */
export function statusText(status: string): string {
  const text = status.replace(/_/g, ' ').toLowerCase()
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Returns `1 license`, `1,200 licenses`. */
export function licensesText(count: number): string {
  return `${count.toLocaleString('en')} ${count === 1 ? 'license' : 'licenses'}`
}

/** Returns a difference with its sign: `+15`, `−45`. */
export function differenceText(change: number): string {
  return `${change < 0 ? '−' : '+'}${Math.abs(change).toLocaleString('en')}`
}

/** Returns the outcome of a settled change, in short; the asset's own note explains the next steps. */
export function changeOutcomeText(
  name: string,
  { state, from, to, vendorReason }: Pick<LicenseChange, 'state' | 'from' | 'to' | 'vendorReason'>,
): string {
  if (state === 'APPLIED') return `${name}: ${from.toLocaleString('en')} → ${licensesText(to)}`
  if (state === 'UNCLEAR')
    return `${name}: ${vendorReason?.replace(/^(We can’t tell [^:]*): .+$/, '$1.') ?? 'we can’t tell whether it was changed.'}`
  return [`Not changed: ${name} stays at ${licensesText(from)}.`, vendorReason].filter(Boolean).join(' ')
}
