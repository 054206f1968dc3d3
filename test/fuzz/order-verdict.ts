import { CANCEL, EXTENDED_TERM } from '#lib/licenses/assets/rules.ts'
import type { TestDatabase } from '#lib/platform/db/test-database.ts'
import type { FieldWrite } from '../fakes/vendors/fake.ts'
import type { NextTerms } from './next-terms.ts'
import { requestIdOf } from './requests.ts'
import { CUSTOMER, type Seed, type Stage } from './stage.ts'

// Compares the vendor's setting at the begin of the next term with the reported states of the orders.

type Order = { id: string; asset: string; wanted: string; state: string; reported: boolean }

/** All orders, by asset and in the order in which they were made. */
export async function ordersIn(database: TestDatabase): Promise<Order[]> {
  const query = `SELECT id, asset_id AS asset, coalesce(to_quantity::text, renewal_type) AS wanted, state,
      reported_at IS NOT NULL AS reported
    FROM renewal_orders ORDER BY asset_id, created_at`
  return (await database.sql(CUSTOMER, query)) as Order[]
}

/** The counts that have to be zero, and how much there was to go wrong. */
export type OrderVerdict = {
  /** The vendor renewed with an order that was reported as withdrawn, lost or refused. */
  appliedThoughNot: number
  /** APPLIED, and the vendor held something else when the term began. */
  notAppliedThough: number
  /** LOST, and no other party had touched the subscription. */
  lostUntouched: number
  twoActive: number
  /** Calls within a term that lowered a commitment. */
  loweredWithinTerm: number
  /** Settings of another party that a call replaced although no orderer could see them. */
  overwritten: number
  /** Unclear without a mail to operators, or not settled at all. */
  open: number
  /** Terms that began as another party had set. */
  foreign: number
  states: Record<string, number>
  findings: string[]
}

export type Renewed = Map<Seed, { held: string; touched: number[] }>

export async function judgeOrders(
  database: TestDatabase,
  stage: Stage,
  terms: NextTerms,
  renewed: Renewed,
): Promise<OrderVerdict> {
  const orders = Map.groupBy(await ordersIn(database), ({ asset }) => asset)
  const findings: string[] = []
  const count = (fits: (newest: Order, held: string, wanted: Set<string>) => boolean, what: string) => {
    let sum = 0
    for (const [seed, { held }] of renewed) {
      const assetOrders = orders.get(stage.assetId(seed)) ?? []
      const newest = assetOrders.at(-1)
      const wanted = new Set(assetOrders.map((order) => order.wanted))
      if (!newest || !fits(newest, held, wanted)) continue
      sum += 1
      findings.push(`${what}: ${JSON.stringify(newest)} held ${held}`)
    }
    return sum
  }
  const all = [...orders.values()].flat()
  const actives = [...orders.values()].map(
    (assetOrders) => assetOrders.filter(({ state }) => state === 'STANDING').length,
  )
  const begun = new Set([...renewed.keys()].map(({ id }) => id))
  const seen = await seenIn(database)
  const overwritten = [...renewed].flatMap(([seed, { touched }]) => {
    const asset = stage.assetId(seed)
    const ours = new Set(orders.get(asset)?.map(({ wanted }) => wanted))
    const fieldWrites = stage.fakeOf(seed).fieldWrites.filter(({ call }) => call.subscriptionId === seed.id)
    return fieldWrites.filter((write) => isOverwritten(write, terms, { ours, touched, seen, asset }))
  })
  const states: Record<string, number> = {}
  for (const { state } of all) states[state] = (states[state] ?? 0) + 1
  return {
    appliedThoughNot: count(
      ({ state }, held, wanted) =>
        ['WITHDRAWN', 'LOST', 'REJECTED'].includes(state) && held !== terms.base && isCausedBy(wanted, held),
      'applied though not',
    ),
    notAppliedThough: count(
      ({ state, wanted }, held) => state === 'APPLIED' && held !== wanted,
      'not applied',
    ),
    lostUntouched: all.filter(({ state, asset }) => {
      const touched = [...renewed].find(([seed]) => stage.assetId(seed) === asset)?.[1].touched ?? []
      return state === 'LOST' && touched.length === 0
    }).length,
    twoActive: actives.filter((active) => active > 1).length,
    loweredWithinTerm: stage.fakes.reduce(
      (sum, { writes }) =>
        sum +
        writes.filter(
          ({ subscriptionId, by, from, to }) => begun.has(subscriptionId) && by === 'client' && to < from,
        ).length,
      0,
    ),
    overwritten: overwritten.length,
    open: all.filter(({ state, reported }) => state === 'STANDING' || (state === 'UNCLEAR' && !reported))
      .length,
    foreign: [...renewed].filter(([seed, { held }]) => {
      const wanted = orders.get(stage.assetId(seed))?.map((order) => order.wanted) ?? []
      return held !== terms.base && !wanted.includes(held)
    }).length,
    states,
    findings,
  }
}

/** A change of the licenses deletes an ordered cancellation, and the plan continues: an order may be the reason for both. */
function isCausedBy(orders: Set<string>, setting: string): boolean {
  return orders.has(setting) || (setting === EXTENDED_TERM && orders.has(CANCEL))
}

/** Longest time between a read and the request that was decided on it, in milliseconds. */
const DECIDED_MS = 1500

/** Returns the settings of another party that an orderer saw: a PUT replaces them, and so does its repetition. */
async function seenIn(database: TestDatabase): Promise<Set<string>> {
  const query = `SELECT asset_id AS asset, coalesce(seen_quantity::text, seen_type) AS seen FROM renewal_orders`
  const rows = await database.sql(CUSTOMER, query)
  return new Set(rows.map(({ asset, seen }) => `${asset} ${seen}`))
}

/**
 * Returns whether a change of a next term replaces another party's setting unseen. A vendor without conditional writes
 * replaces also a setting made between the read and the request.
 */
function isOverwritten(
  { call, before, after, at }: FieldWrite,
  terms: NextTerms,
  { ours, touched, seen, asset }: { ours: Set<string>; touched: number[]; seen: Set<string>; asset: string },
): boolean {
  const [was, is] = [terms.heldIn(before), terms.heldIn(after)]
  if (was === is || was === terms.base || isCausedBy(ours, was) || seen.has(`${asset} ${was}`)) return false
  if (requestIdOf(call)?.startsWith('PATCH')) return false
  return !touched.some((time) => time < at && time > at - DECIDED_MS)
}
