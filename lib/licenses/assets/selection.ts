import 'server-only'
import { eq, inArray, or, type SQL, sql } from 'drizzle-orm'
import { z } from 'zod'
import { assets } from '#lib/platform/db/schema/assets.ts'
import type { Filter } from '#lib/platform/lists/filter.ts'
import { byCreation, type KeyColumn, TimeKey } from '#lib/platform/lists/paging.ts'
import type { SortSpec } from '#lib/platform/lists/parameters.ts'
import { hasPart, normalizedText } from '#lib/platform/lists/search.ts'
import type { AssetFilterKey, AssetSortKey, PlanKind, Usage } from './rules.ts'

/** Selection of assets. */
export type Selection = {
  filter?: Filter<AssetFilterKey> | undefined
  search?: string | undefined
  /** Epoch milliseconds, both inclusive, of the commitment's end. */
  minRenewalTime?: number | undefined
  maxRenewalTime?: number | undefined
}

/** Returns whether the selection has no filter, so that the order is the order of an index. */
export function selectsAll(selection: Selection): boolean {
  return Object.values(selection).every((one) => !one && one !== 0)
}

const { planName, isCommitmentPlan, seatsPurchased, seatsAssigned } = assets
const WITHOUT_COMMITMENT = sql`not ${isCommitmentPlan}`

/** SQL conditions equal to the decision of `planKindOf`, by kind. */
const PLANS: Record<PlanKind, SQL> = {
  commitment: sql`${isCommitmentPlan}`,
  flexible: sql`(${WITHOUT_COMMITMENT} and ${planName} <> 'TRIAL')`,
  trial: sql`(${WITHOUT_COMMITMENT} and ${planName} = 'TRIAL')`,
  'usage-based': sql`${isCommitmentPlan} is null`,
}

const ALL_ASSIGNED = sql`${seatsAssigned} >= ${seatsPurchased}`
// In bigint: five times the seats may exceed an integer.
const MANY_IDLE = sql`${seatsAssigned}::bigint * 5 < ${seatsPurchased}::bigint * 4`
/** SQL conditions equal to the decision of `usageOf`, by usage; for rows with licenses. */
const USAGE: Record<Usage, SQL> = {
  full: ALL_ASSIGNED,
  idle: sql`(not ${ALL_ASSIGNED} and ${MANY_IDLE})`,
  used: sql`(not ${ALL_ASSIGNED} and not ${MANY_IDLE})`,
}

/** Returns the conditions of a selection; none where it selects all. */
export function selected({ filter, search, minRenewalTime, maxRenewalTime }: Selection): SQL[] {
  const end = assets.commitmentEnd
  const conditions = [
    filter?.type && inArray(assets.type, filter.type),
    filter?.status && inArray(assets.status, filter.status),
    filter?.plan && or(...filter.plan.map((kind) => PLANS[kind as PlanKind])),
    filter?.usage && or(...filter.usage.map((usage) => USAGE[usage as Usage])),
    filter?.domain &&
      or(
        ...filter.domain.map((domain) =>
          eq(normalizedText(assets.customerDomain), normalizedText(sql`${domain}::text`)),
        ),
      ),
    minRenewalTime !== undefined && sql`${end} >= ${atTime(minRenewalTime)}`,
    maxRenewalTime !== undefined && sql`${end} <= ${atTime(maxRenewalTime)}`,
    search && or(...[assets.name, assets.customerDomain, assets.id].map((text) => hasPart(text, search))),
  ]
  return conditions.filter((one) => one !== undefined && one !== false && one !== '')
}

/** Returns SQL for a time, capped at the last time that PostgreSQL can represent: no row is later. */
function atTime(ms: number): SQL {
  return sql`timestamptz 'epoch' + ${Math.min(ms, LAST_TIME)}::bigint * interval '1 millisecond'`
}

/** The last millisecond of the year 9999. */
const LAST_TIME = 253_402_300_799_999

export type AssetSort = SortSpec<AssetSortKey>

const CREATION = byCreation(assets.createdAt, assets.id)

const Id = z
  .string()
  .max(300)
  .regex(/^[^\0]+$/)
const Name = z
  .string()
  .max(400)
  .regex(/^[^\0]*$/)
const Whole = z.string().regex(/^-?\d{1,18}$/)

/** Exceeds every value of a row: in microseconds, some thirty thousand years, and more than any number of licenses. */
const BEYOND = 999_999_999_999_999_999n

/** Sorts missing values last, in both directions. */
const whole = (value: SQL, ascending: boolean) =>
  sql`coalesce(${value}, ${sql.raw(String(ascending ? BEYOND : -BEYOND))}::bigint)`

type Sort = { column: SQL; read: (text: string) => SQL; Part: z.ZodType<string> }
const asWhole = (column: SQL): Sort => ({ column, read: (text) => sql`${text}::bigint`, Part: Whole })

const SORTS: Record<Exclude<AssetSortKey, 'created'>, (ascending: boolean) => Sort> = {
  // Normalized like names in searches, up to the length in a page token.
  name: () => ({
    column: sql`(left(${normalizedText(assets.name)}, 200) COLLATE "C")`,
    read: (text) => sql`${text}::text`,
    Part: Name,
  }),
  renewal: (ascending) =>
    asWhole(whole(sql`(extract(epoch from ${assets.commitmentEnd}) * 1000000)::bigint`, ascending)),
  idle: (ascending) =>
    asWhole(
      whole(sql`(greatest(${seatsPurchased}, ${seatsAssigned}) - ${seatsAssigned})::bigint`, ascending),
    ),
}

/**
 * Returns the keyset of an order: sort key, direction, and the values that a page token may contain. `sort` is the
 * first part of the key as text; absent for the time of creation, which each row already carries.
 */
export function keysetOf(sort: AssetSort = 'created desc') {
  const [by, direction] = sort.split(' ') as [AssetSortKey, 'asc' | 'desc']
  const ascending = direction === 'asc'
  if (by === 'created') return { columns: CREATION.columns, ascending, Key: TimeKey, sort: undefined }
  const { column, read, Part } = SORTS[by](ascending)
  const columns: KeyColumn[] = [{ column, read }, { column: assets.id }]
  return { columns, ascending, Key: z.tuple([Part, Id]), sort: sql<string>`${column}::text` }
}

/** The time of creation, in microseconds, as page tokens have it. */
export const { micros } = CREATION
