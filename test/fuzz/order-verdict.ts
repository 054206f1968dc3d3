import { monitorEventLoopDelay } from 'node:perf_hooks'
import { CANCEL, EXTENDED_TERM } from '#lib/licenses/assets/rules.ts'
import type { TestDatabase } from '#lib/platform/db/test-database.ts'
import type { Fake, FieldWrite } from '../fakes/vendors/fake.ts'
import type { Call } from '../fakes/vendors/routes.ts'
import type { Written } from '../fakes/vendors/store.ts'
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

/** What may be wrong with an asset. */
const FAULTS = {
  /** The vendor renewed with an order that was reported as withdrawn, lost or refused. */
  appliedThoughNot: 0,
  /** APPLIED, and the vendor held something else when the term began. */
  notAppliedThough: 0,
  /** LOST, and no other party had touched the subscription. */
  lostUntouched: 0,
  twoActive: 0,
  /** Calls within a term that lowered a commitment. */
  loweredWithinTerm: 0,
  /** Settings of another party that a call replaced although no orderer could see them. */
  overwritten: 0,
  /** Unclear without a mail to operators, or not settled at all. */
  open: 0,
}
type Fault = keyof typeof FAULTS

/** The numbers of faults, and how much there was to go wrong. */
export type OrderVerdict = Record<Fault, number> & {
  /** Terms that began as another party had set. */
  foreign: number
  states: Record<string, number>
  /** Each fault with the history of its asset. */
  findings: string[]
}

/** A verdict without a fault. */
export const HOLDS = { findings: [], ...FAULTS }

/** A term's end. `at` and `touched` are epoch milliseconds; `arrived`: calls that had arrived at the vendor before. */
export type TermEnd = { held: string; touched: number[]; at: number; arrived: ReadonlySet<Call> }
export type Renewed = Map<Seed, TermEnd>

/** Begins the next term of a subscription, and notes what it begins with. */
export function renewTerm(stage: Stage, terms: NextTerms, seed: Seed, touched: number[] = []): TermEnd {
  const fake = stage.fakeOf(seed)
  const end = { held: terms.held(fake, seed), touched, at: Date.now(), arrived: new Set(stage.arrivals) }
  terms.renew(fake, seed)
  return end
}

export async function judgeOrders(
  database: TestDatabase,
  stage: Stage,
  terms: NextTerms,
  renewed: Renewed,
): Promise<OrderVerdict> {
  const orders = Map.groupBy(await ordersIn(database), ({ asset }) => asset)
  const seen = await seenIn(database)
  const verdict: OrderVerdict = { ...FAULTS, foreign: 0, states: {}, findings: [] }
  for (const [seed, end] of renewed) {
    const asset = stage.assetId(seed)
    const made = orders.get(asset) ?? []
    for (const { state } of made) verdict.states[state] = (verdict.states[state] ?? 0) + 1
    const wanted = new Set(made.map((order) => order.wanted))
    if (end.held !== terms.base && !wanted.has(end.held)) verdict.foreign += 1
    for (const fault of faultsOf({ stage, terms, seed, end, made, wanted, seen })) {
      verdict[fault] += 1
      verdict.findings.push(`${fault}: ${await historyOf(database, stage, terms, { seed, end })}`)
    }
  }
  return verdict
}

type Judged = { stage: Stage; terms: NextTerms; seed: Seed; end: TermEnd } & {
  made: Order[]
  wanted: Set<string>
  seen: Set<string>
}

function faultsOf({ stage, terms, seed, end, made, wanted, seen }: Judged): Fault[] {
  const { held, touched } = end
  const fake = stage.fakeOf(seed)
  const newest = made.at(-1)
  const isGivenUp = newest && ['WITHDRAWN', 'LOST', 'REJECTED'].includes(newest.state)
  const times = (fault: Fault, found: readonly unknown[]): Fault[] => found.map(() => fault)
  const ifSo = (fault: Fault, isSo: boolean | undefined): Fault[] => (isSo ? [fault] : [])
  return [
    ...ifSo('appliedThoughNot', isGivenUp && held !== terms.base && isCausedBy(wanted, held)),
    ...ifSo('notAppliedThough', newest?.state === 'APPLIED' && held !== newest.wanted),
    ...times('lostUntouched', touched.length > 0 ? [] : made.filter(({ state }) => state === 'LOST')),
    ...ifSo('twoActive', made.filter(({ state }) => state === 'STANDING').length > 1),
    ...times(
      'loweredWithinTerm',
      fake.writes.filter((written) => isLowered(written, fake, seed, end)),
    ),
    ...times(
      'overwritten',
      fake.fieldWrites.filter(
        (write) =>
          write.call.subscriptionId === seed.id &&
          isOverwritten(write, terms, { ours: wanted, touched, seen, asset: stage.assetId(seed) }),
      ),
    ),
    ...times(
      'open',
      made.filter(({ state, reported }) => state === 'STANDING' || (state === 'UNCLEAR' && !reported)),
    ),
  ]
}

/**
 * Returns whether a call lowered the licenses within a term. A call that the vendor accepted within a term and carries
 * out after its end was no decrease when it was made.
 */
function isLowered(written: Written, fake: Fake, { id }: Seed, { at, arrived }: TermEnd): boolean {
  const { subscriptionId, by, from, to } = written
  if (subscriptionId !== id || by !== 'client' || to >= from) return false
  const call = fake.callOf(written)
  return written.at < at || !call || !arrived.has(call)
}

/** Returns everything that happened with the next term of a subscription, in order: for the message of a failed test. */
async function historyOf(
  database: TestDatabase,
  stage: Stage,
  terms: NextTerms,
  { seed, end }: { seed: Seed; end: TermEnd },
): Promise<string> {
  const { writes, fieldWrites } = stage.fakeOf(seed)
  const rows = async (what: string, query: string) =>
    (await database.sql(CUSTOMER, query)).map(({ at, ...row }) => [Number(at), what, row] as const)
  const ofAsset = `WHERE asset_id = '${stage.assetId(seed)}'`
  const ms = (column: string) => `(extract(epoch FROM ${column}) * 1000)::float8`
  const lines = [
    ...(await rows(
      'order',
      `SELECT ${ms('created_at')} AS at, id, coalesce(to_quantity::text, renewal_type) AS wanted, state, reason,
        ${ms('placed_at')} AS placed, ${ms('taken_back_at')} AS withdrawn, ${ms('settled_at')} AS settled,
        coalesce(seen_quantity::text, seen_type) AS seen, coalesce(began_quantity::text, began_type) AS began,
        began_placed FROM renewal_orders ${ofAsset}`,
    )),
    ...(await rows(
      'request',
      `SELECT ${ms('at')} AS at, number, order_id, coalesce(quantity::text, renewal_type) AS sent, kind,
        is_withdrawal, coalesce(before_quantity::text, before_type) AS before, ${ms('late_until')} AS late,
        coalesce(shown_quantity::text, shown_type) AS shown FROM renewal_requests ${ofAsset}`,
    )),
    ...writes
      .filter(({ subscriptionId }) => subscriptionId === seed.id)
      .map(({ at, from, to, by }) => [at, 'total', { from, to, by }] as const),
    ...fieldWrites
      .filter(({ call }) => call.subscriptionId === seed.id)
      .map(({ call, before, after, at }) => {
        const [from, to] = [terms.heldIn(before), terms.heldIn(after)]
        return [at, 'next term', { from, to, by: requestIdOf(call) ?? 'job' }] as const
      }),
    ...end.touched.map((at) => [at, 'another party', {}] as const),
    [end.at, 'renewed', { held: end.held }] as const,
  ]
  lines.sort(([one], [other]) => one - other)
  return [seed.id, ...lines.map(([at, what, row]) => `${at} ${what} ${JSON.stringify(row)}`)].join('\n  ')
}

/** A change of the licenses deletes an ordered cancellation, and the plan continues: an order may be the reason for both. */
function isCausedBy(orders: Set<string>, setting: string): boolean {
  return orders.has(setting) || (setting === EXTENDED_TERM && orders.has(CANCEL))
}

/**
 * Longest time between a read and the effect of the request that was decided on it, in milliseconds, if this process,
 * which has both sides, is never held up.
 */
const DECIDED_MS = 1500
const stalls = monitorEventLoopDelay()
stalls.enable()

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
  const decidedAt = at - DECIDED_MS - stalls.max / 1e6
  return !touched.some((time) => time < at && time > decidedAt)
}
