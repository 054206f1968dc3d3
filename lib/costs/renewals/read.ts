import 'server-only'
import { sql } from 'drizzle-orm'
import { pricesFor } from '#lib/costs/license-prices/operations.ts'
import { seesPrices } from '#lib/costs/license-prices/rules.ts'
import { listNewestLines, readHidesPrices } from '#lib/costs/license-prices/store.ts'
import type { Caller, CustomerId } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { readScope } from '#lib/platform/db/scope.ts'
import { extendedTermSettings } from '#lib/vendors/settings.ts'
import { MONTHS, type Plan, type Renewal, renewalOf } from './rules.ts'

/** Reader of renewals, who sees licenses. */
export type Who = Pick<Caller, 'customerId' | 'roles' | 'billingProfiles'>

export type RenewalData = {
  /** Epoch milliseconds. */
  now: number
  /** The next one first. */
  renewals: Renewal[]
  /** Whether the list is complete. */
  isWhole: boolean
  /** Whether the reader may see license prices. */
  seesPrices: boolean
}

/**
 * Returns renewals of this and the following months, with prices as far as roles and billing profiles allow. Five
 * statements, each bounded. The caller checks the permission for licenses before.
 */
export function readRenewals(who: Who): Promise<RenewalData> {
  return readScope(who, (tx) => readIn(tx, who), { mayBeOld: true })
}

async function readIn(tx: Transaction, who: Who): Promise<RenewalData> {
  const { customerId } = who
  const [now, rows, products, lines, hidesPrices] = await Promise.all([
    readNow(tx),
    listEnding(tx, customerId),
    listProducts(tx, customerId),
    listNewestLines(tx, who),
    readHidesPrices(tx, customerId),
  ])
  const others = products.map((one) => ({ ...one, id: '', planName: '', purchased: 0 }))
  const prices = pricesFor(who, { hidesPrices, assets: [...rows, ...others], lines })
  const { surchargePercent } = extendedTermSettings()
  const renewals = rows
    .slice(0, MAX_PLANS)
    .map((row) => renewalOf(planOf(row), prices.get(row.id), surchargePercent))
  return {
    now,
    renewals,
    isWhole: rows.length <= MAX_PLANS,
    seesPrices: seesPrices(who, { hidesPrices }),
  }
}

function planOf({ id, name, type, skuName: _, ...plan }: PlanRow) {
  return { ...plan, asset: { id, name, type } }
}

/** A customer has some tens of plans; above this limit, those that end first are listed. */
const MAX_PLANS = 1000

type PlanRow = Omit<Plan, 'asset'> & { id: string; name: string; type: string; skuName: string }

/**
 * Returns the active plans whose commitment ends in this or a following month, next one first; up to one more than
 * `MAX_PLANS`.
 */
async function listEnding(tx: Transaction, customerId: CustomerId): Promise<PlanRow[]> {
  const { rows } = await tx.execute<PlanRow>(sql`
    SELECT id, name, type, customer_domain AS domain, sku_name AS "skuName", plan_name AS "planName",
      seats_purchased AS purchased, seats_assigned AS assigned,
      floor(extract(epoch FROM commitment_end) * 1000)::float8 AS at, renewal_type AS "renewalType",
      scheduled_total AS "scheduledTotal"
    FROM assets
    WHERE customer_id = ${customerId} AND is_commitment_plan AND status = 'ACTIVE' AND commitment_end >= now()
      AND commitment_end < (date_trunc('month', now() AT TIME ZONE 'UTC') + make_interval(months => ${MONTHS}::int)) AT TIME ZONE 'UTC'
    ORDER BY commitment_end, id LIMIT ${MAX_PLANS + 1}`)
  return rows
}

/** Returns the other products, whose longer names distinguish the lines of invoices. */
async function listProducts(tx: Transaction, customerId: CustomerId) {
  const { rows } = await tx.execute<{ type: string; skuName: string }>(sql`
    SELECT DISTINCT type, sku_name AS "skuName" FROM assets
    WHERE customer_id = ${customerId} AND seats_purchased IS NOT NULL ORDER BY 1, 2 LIMIT ${MAX_PLANS}`)
  return rows
}

/** Returns the database's time in epoch milliseconds. */
async function readNow(tx: Transaction): Promise<number> {
  const { rows } = await tx.execute<{ now: number }>(sql`
    SELECT floor(extract(epoch FROM now()) * 1000)::float8 AS now`)
  return rows[0]?.now ?? 0
}
