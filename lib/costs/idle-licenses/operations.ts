import 'server-only'
import { lastPrices } from '#lib/costs/license-prices/operations.ts'
import type { LastPrice } from '#lib/costs/license-prices/rules.ts'
import { checkPermission } from '#lib/platform/api/operation.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import { readScope } from '#lib/platform/db/scope.ts'
import { idleOf, type LicenseCosts } from './rules.ts'
import { listPlans, planOf } from './store.ts'

/**
 * Returns the last billed price of a license of each of the caller's plans, by asset id, as far as the caller may see
 * prices.
 */
export async function pricesOfPlans(caller: Caller): Promise<Record<string, LastPrice>> {
  checkPermission(caller, 'licenses-manager')
  const plans = await readScope(caller, (tx) => listPlans(tx, caller.customerId, []), { mayBeOld: true })
  return lastPrices(caller, plans)
}

/**
 * Returns price and idleness of these assets' licenses. Prices are included as far as the caller may see them.
 * @throws Problem `permission_denied`
 */
export async function readLicenseCosts(caller: Caller, ids: readonly string[]): Promise<LicenseCosts> {
  checkPermission(caller, 'licenses-manager')
  if (ids.length === 0) return { prices: {}, idle: {} }
  // Includes the other assets: their longer names distinguish the lines.
  const plans = await readScope(caller, (tx) => listPlans(tx, caller.customerId, ids), { mayBeOld: true })
  const prices = await lastPrices(caller, plans)
  const requested = new Set(ids)
  const requestedPlans = plans.filter(({ id }) => requested.has(id))
  return {
    prices: Object.fromEntries(requestedPlans.flatMap(({ id }) => (prices[id] ? [[id, prices[id]]] : []))),
    idle: Object.fromEntries(requestedPlans.map((plan) => [plan.id, idleOf(planOf(plan), prices[plan.id])])),
  }
}
