import { statusText } from '#components/licenses/assets/labels.ts'
import type { View } from '#components/licenses/assets/view.ts'
import { rangeText } from '#components/lists/filters/date-range.ts'
import { valuesOf } from '#components/lists/filters/view.ts'
import type { PlanKind, Usage } from '#lib/licenses/assets/rules.ts'
import { dayBegin } from '#lib/platform/values/days.ts'
import { platformName } from '#lib/platform/values/platforms.ts'

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

/** Returns the active filters as text, because print has no controls. */
export function describeFilters(view: View): string[] {
  const renewal = renewalOf(view)
  const renews = renewal.from !== undefined || renewal.to !== undefined
  return [
    view.search ? `Found by “${view.search}”` : undefined,
    ...valuesOf(view, 'type').map(platformName),
    ...valuesOf(view, 'status').map(statusText),
    ...valuesOf(view, 'plan').map(planKindName),
    ...valuesOf(view, 'usage').map(usageName),
    ...valuesOf(view, 'domain'),
    renews ? `Renewal: ${rangeText(renewal)}` : undefined,
  ].filter((text) => text !== undefined)
}
