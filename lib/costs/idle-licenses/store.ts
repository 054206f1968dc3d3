import 'server-only'
import { type SQL, sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { vendorInfo } from '#lib/vendors/declarations.ts'
import { IDLE_DAYS, type Plan } from './rules.ts'

/** Days over which the pace of assignments is measured. */
const TREND_DAYS = 90
/** A customer has some tens of plans; above this limit, the newest are checked. */
const MAX_PLANS = 1000

/** Plan with its present and past licenses. */
export type PlanRow = {
  id: string
  type: string
  name: string
  vendor: string
  skuName: string
  planName: string
  status: string
  isCommitmentPlan: boolean
  purchased: number
  assigned: number
  /** Epoch milliseconds. */
  commitmentEnd: number | null
  renewalType: string | null
  scheduledTotal: number | null
  /** Same as in `Plan`. */
  leastIdle: number | null
  /** Number assigned at the start of the pace's window, or at the first reading in it; null without a reading. */
  assignedThen: number | null
  /** Age of that reading, in days. */
  paceDays: number | null
  /** When time may change `leastIdle`, and `paceDays` or its reading, in epoch milliseconds; null: never. */
  historyUntil: number | null
  trendUntil: number | null
}

const DAY = 86_400
/**
 * SQL condition for the readings of the surrounding statement's asset. Repeats the customer: a join condition alone
 * does not route to one node.
 */
const samplesFilter = (customerId: CustomerId) => sql`r.customer_id = ${customerId} AND r.asset_id = a.id`
const ago = (days: number) => sql`now() - ${days} * interval '1 day'`

const daysSince = sql`floor(extract(epoch FROM now() - s.at) / ${DAY})`
/** Epoch milliseconds a number of days after a time. */
const msAfter = (time: SQL, days: SQL) =>
  sql`floor(extract(epoch FROM ${time} + (${days}) * interval '1 day') * 1000)::float8`

// Unrequested history is not read.
const leastIdle = (samples: SQL, isRequested: SQL) => sql`
  SELECT CASE WHEN bool_or(s.before) THEN least(min(s.idle), a.seats_purchased - a.seats_assigned) END AS "leastIdle",
    ${msAfter(sql`min(s.at) FILTER (WHERE NOT s.before)`, sql`${IDLE_DAYS}`)} AS "historyUntil"
  FROM (
    (SELECT r.purchased - r.assigned AS idle, r.at, true AS before FROM seat_readings r
      WHERE ${samples} AND r.at <= ${ago(IDLE_DAYS)} ORDER BY r.at DESC LIMIT 1)
    UNION ALL
    (SELECT r.purchased - r.assigned, r.at, false FROM seat_readings r WHERE ${samples} AND r.at > ${ago(IDLE_DAYS)})) s
  WHERE a.seats_purchased > a.seats_assigned AND ${isRequested}`
const assignedThen = (samples: SQL, isRequested: SQL) => sql`
  SELECT s.assigned AS "assignedThen", least(${TREND_DAYS}, ${daysSince})::int AS "paceDays",
    CASE WHEN s.at <= ${ago(TREND_DAYS)} THEN ${msAfter(sql`lead(s.at) OVER (ORDER BY s.at)`, sql`${TREND_DAYS}`)}
      ELSE ${msAfter(sql`s.at`, sql`${daysSince} + 1`)} END AS "trendUntil"
  FROM (
    (SELECT r.assigned, r.at FROM seat_readings r WHERE ${samples} AND r.at <= ${ago(TREND_DAYS)} ORDER BY r.at DESC LIMIT 1)
    UNION ALL
    (SELECT r.assigned, r.at FROM seat_readings r WHERE ${samples} AND r.at > ${ago(TREND_DAYS)} ORDER BY r.at LIMIT 1)) s
  WHERE ${isRequested} ORDER BY s.at LIMIT 1`

/**
 * Returns the customer's newest plans that have licenses.
 * @param historyOf assets whose readings are evaluated; for others these values are null
 */
export async function listPlans(
  tx: Transaction,
  customerId: CustomerId,
  historyOf: 'all' | readonly string[],
): Promise<PlanRow[]> {
  const isRequested = historyOf === 'all' ? sql`true` : sql`a.id = ANY (${sql.param([...historyOf])}::text[])`
  const { rows } = await tx.execute<PlanRow>(sql`
    SELECT a.id, a.type, a.name, a.vendor, a.sku_name AS "skuName", a.plan_name AS "planName", a.status,
      a.is_commitment_plan AS "isCommitmentPlan", a.seats_purchased AS purchased, a.seats_assigned AS assigned,
      extract(epoch FROM a.commitment_end)::float8 * 1000 AS "commitmentEnd", a.renewal_type AS "renewalType",
      a.scheduled_total AS "scheduledTotal", idle."leastIdle", idle."historyUntil", pace."assignedThen",
      pace."paceDays", pace."trendUntil"
    FROM (
      SELECT * FROM assets a WHERE a.customer_id = ${customerId} AND a.seats_purchased IS NOT NULL
      ORDER BY a.created_at DESC, a.id DESC LIMIT ${MAX_PLANS}) a
    LEFT JOIN LATERAL (${leastIdle(samplesFilter(customerId), isRequested)}) idle ON true
    LEFT JOIN LATERAL (${assignedThen(samplesFilter(customerId), isRequested)}) pace ON true
    ORDER BY a.created_at DESC, a.id DESC`)
  return rows
}

/** Converts a row to the rules' type. */
export function planOf({ vendor, status, isCommitmentPlan, planName, ...row }: PlanRow): Plan {
  const isBilledByUse = vendorInfo(vendor).capsFlexible && !isCommitmentPlan
  const { purchased, assigned, leastIdle } = row
  return { status, isCommitmentPlan, planName, purchased, assigned, isBilledByUse, leastIdle }
}
