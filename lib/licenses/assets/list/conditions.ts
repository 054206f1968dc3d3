import 'server-only'
import { eq, inArray, or, type SQL, sql } from 'drizzle-orm'
import { assets } from '#lib/platform/db/schema/assets.ts'
import type { Filter } from '#lib/platform/lists/filter.ts'
import { folded, hasPart } from '#lib/platform/lists/search.ts'
import type { AssetFilterKey, PlanKind, Usage } from '../rules.ts'

/** Which assets are asked for. */
export type Selection = {
  filter?: Filter<AssetFilterKey> | undefined
  search?: string | undefined
  /** Epoch milliseconds, both inclusive, of the commitment's end. */
  minRenewalTime?: number | undefined
  maxRenewalTime?: number | undefined
}

/** Whether nothing is selected: then the order is that of an index. */
export function selectsAll(selection: Selection): boolean {
  return Object.values(selection).every((one) => !one && one !== 0)
}

const { planName, isCommitmentPlan, seatsPurchased, seatsAssigned } = assets
const WITHOUT_COMMITMENT = sql`not ${isCommitmentPlan}`

/** What `planKindOf` decides, of each row. */
const PLANS: Record<PlanKind, SQL> = {
  commitment: sql`${isCommitmentPlan}`,
  flexible: sql`(${WITHOUT_COMMITMENT} and ${planName} <> 'TRIAL')`,
  trial: sql`(${WITHOUT_COMMITMENT} and ${planName} = 'TRIAL')`,
  'usage-based': sql`${isCommitmentPlan} is null`,
}

const ALL_ASSIGNED = sql`${seatsAssigned} >= ${seatsPurchased}`
// In bigint: five times the seats may be more than an integer holds.
const MANY_IDLE = sql`${seatsAssigned}::bigint * 5 < ${seatsPurchased}::bigint * 4`
/** What `usageOf` decides, of each row that has licenses. */
const USAGE: Record<Usage, SQL> = {
  full: ALL_ASSIGNED,
  idle: sql`(not ${ALL_ASSIGNED} and ${MANY_IDLE})`,
  used: sql`(not ${ALL_ASSIGNED} and not ${MANY_IDLE})`,
}

/** The conditions of a selection; none where it has all. */
export function selected({ filter, search, minRenewalTime, maxRenewalTime }: Selection): SQL[] {
  const end = assets.commitmentEnd
  const conditions = [
    filter?.type && inArray(assets.type, filter.type),
    filter?.status && inArray(assets.status, filter.status),
    filter?.plan && or(...filter.plan.map((kind) => PLANS[kind as PlanKind])),
    filter?.usage && or(...filter.usage.map((usage) => USAGE[usage as Usage])),
    filter?.domain &&
      or(...filter.domain.map((domain) => eq(folded(assets.customerDomain), folded(sql`${domain}::text`)))),
    minRenewalTime !== undefined && sql`${end} >= ${atTime(minRenewalTime)}`,
    maxRenewalTime !== undefined && sql`${end} <= ${atTime(maxRenewalTime)}`,
    search && or(...[assets.name, assets.customerDomain, assets.id].map((text) => hasPart(text, search))),
  ]
  return conditions.filter((one) => one !== undefined && one !== false && one !== '')
}

/** A time that may be later than PostgreSQL knows: no row is, so that its last one stands for it. */
function atTime(ms: number): SQL {
  return sql`timestamptz 'epoch' + ${Math.min(ms, LAST_TIME)}::bigint * interval '1 millisecond'`
}

/** The last millisecond of the year 9999. */
const LAST_TIME = 253_402_300_799_999
