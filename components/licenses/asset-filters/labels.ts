import type { View } from '#components/licenses/assets/view.ts'
import type { PlanKind, Usage } from '#lib/licenses/assets/rules.ts'
import { dayBegin } from '#lib/platform/values/days.ts'

/** Filter choices, collected from all assets of the customer. */
export type FilterChoices = { domains: readonly string[]; statuses: readonly string[] }

const PLAN_NAMES: Record<PlanKind, string> = {
  commitment: 'With a commitment',
  flexible: 'Flexible',
  trial: 'Trial',
  'usage-based': 'Usage-based',
}

export const USAGE_NAMES: Record<Usage, string> = {
  idle: 'Under 80% assigned',
  used: 'Well used, 80 % or more assigned',
  full: 'Full, all assigned',
}

/** Short labels, for the active filter. */
const USAGE_LABELS: Record<Usage, string> = { idle: 'Mostly unused', used: 'Well used', full: 'Full' }

export function planKindName(kind: string): string {
  return PLAN_NAMES[kind as PlanKind] ?? kind
}

export function usageName(usage: string): string {
  return USAGE_LABELS[usage as Usage] ?? usage
}

/** Returns the range of days in which the commitments of a view end. */
export function renewalOf({ minRenewalTime: min, maxRenewalTime: max }: View) {
  const dayOf = (at: number | undefined) => (at === undefined ? undefined : dayBegin(at))
  return { from: dayOf(min), to: dayOf(max) }
}
