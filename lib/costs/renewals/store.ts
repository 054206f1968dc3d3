import 'server-only'
import { sql } from 'drizzle-orm'
import type { CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { MONTHS, type Plan } from './rules.ts'

/** A customer has some tens of plans; of more, those that end first are told of. */
export const MOST_PLANS = 1000

export type PlanRow = Omit<Plan, 'asset'> & { id: string; name: string; type: string; skuName: string }

/** The active plans whose commitment ends in this month or one of those after it, the next one first; one more than `MOST_PLANS`. */
export async function listEnding(tx: Transaction, customerId: CustomerId): Promise<PlanRow[]> {
  const { rows } = await tx.execute<PlanRow>(sql`
    SELECT id, name, type, customer_domain AS domain, sku_name AS "skuName", plan_name AS "planName",
      seats_purchased AS purchased, seats_assigned AS assigned,
      floor(extract(epoch FROM commitment_end) * 1000)::float8 AS at, renewal_type AS "renewalType",
      scheduled_total AS "scheduledTotal"
    FROM assets
    WHERE customer_id = ${customerId} AND is_commitment_plan AND status = 'ACTIVE' AND commitment_end >= now()
      AND commitment_end < (date_trunc('month', now() AT TIME ZONE 'UTC') + make_interval(months => ${MONTHS}::int)) AT TIME ZONE 'UTC'
    ORDER BY commitment_end, id LIMIT ${MOST_PLANS + 1}`)
  return rows
}

/** Products beside those, by whose longer names the lines of invoices are told apart. */
export async function listProducts(tx: Transaction, customerId: CustomerId) {
  const { rows } = await tx.execute<{ type: string; skuName: string }>(sql`
    SELECT DISTINCT type, sku_name AS "skuName" FROM assets
    WHERE customer_id = ${customerId} AND seats_purchased IS NOT NULL ORDER BY 1, 2 LIMIT ${MOST_PLANS}`)
  return rows
}

/** The moment, in epoch milliseconds: the database's. */
export async function readNow(tx: Transaction): Promise<number> {
  const { rows } = await tx.execute<{ now: number }>(sql`
    SELECT floor(extract(epoch FROM now()) * 1000)::float8 AS now`)
  return rows[0]?.now ?? 0
}
