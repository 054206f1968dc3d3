import 'server-only'
import { pricesFor } from '#lib/costs/license-prices/operations.ts'
import { seesPrices } from '#lib/costs/license-prices/rules.ts'
import { listNewestLines, readHidesPrices } from '#lib/costs/license-prices/store.ts'
import type { Caller } from '#lib/platform/caller/rules.ts'
import type { Transaction } from '#lib/platform/db/client.ts'
import { readScope } from '#lib/platform/db/scope.ts'
import { type Renewal, renewalOf } from './rules.ts'
import { listEnding, listProducts, MOST_PLANS, type PlanRow, readNow } from './store.ts'

/** Who asks: whoever sees licenses. */
export type Who = Pick<Caller, 'customerId' | 'roles' | 'billingProfiles'>

export type Found = {
  /** Epoch milliseconds. */
  now: number
  /** The next one first. */
  renewals: Renewal[]
  /** Whether these are all. */
  isWhole: boolean
  /** Whether they may see what licenses cost. */
  seesPrices: boolean
}

/**
 * What renews in this month and in those after it, with prices as far as roles and billing profiles let them be seen. Five
 * statements, each bounded. Whether they may see licenses at all has to be asked before.
 */
export function readRenewals(who: Who): Promise<Found> {
  return readScope(who, (tx) => readIn(tx, who), { mayBeOld: true })
}

async function readIn(tx: Transaction, who: Who): Promise<Found> {
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
  const renewals = rows.slice(0, MOST_PLANS).map((row) => renewalOf(planOf(row), prices.get(row.id)))
  return {
    now,
    renewals,
    isWhole: rows.length <= MOST_PLANS,
    seesPrices: seesPrices(who, { hidesPrices }),
  }
}

function planOf({ id, name, type, skuName: _, ...plan }: PlanRow) {
  return { ...plan, asset: { id, name, type } }
}
