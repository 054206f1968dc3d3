import 'server-only'
import { vendorFacts } from '#lib/vendors/known-vendors.ts'
import type { Plan } from './rules.ts'
import type { PlanRow } from './store.ts'

/** A row as the rules have it. */
export function planOf({ vendor, status, isCommitmentPlan, planName, ...row }: PlanRow): Plan {
  const isBilledByUse = vendorFacts(vendor).capsFlexible && !isCommitmentPlan
  const { purchased, assigned, leastIdle } = row
  return { status, isCommitmentPlan, planName, purchased, assigned, isBilledByUse, leastIdle }
}
