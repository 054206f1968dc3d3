import type { TestDatabase } from '#lib/db/test-database.ts'
import { isOpen } from '#lib/license-changes/rules.ts'
import type { Written } from '../stand-ins/vendors/book.ts'
import { askOf } from './asks.ts'
import { CUSTOMER, type Seed, type Stage } from './stage.ts'
import type { Answered } from './writers.ts'

/** The counts that have to be zero, and how much there was to go wrong. */
export type Verdict = {
  /** Changes in the vendor's books that a call of ours made. */
  vendorWrites: number
  /** Those of them of which no change of ours tells. */
  writesWithoutRecord: number
  /** Those of them whose change, or whose answer to who asked for it, says that nothing was done. */
  toldAsNotApplied: number
  /** Assets whose total is not the vendor's. */
  assetsThatDiffer: number
  overlappingWrites: number
  /** Answers of 200 for a total that the vendor did not have at any moment of the request. */
  answersWithoutEvidence: number
  /** Changes that say APPLIED, and no write of the vendor's stands behind them. */
  recordsWithoutWrite: number
  /** Seats that seemed to be the vendor's own doing, though it did no such thing by itself. */
  drift: number
  /** Changes that were not settled. */
  open: number
  /** Calls to the vendor of which no change tells: nobody can look up what became of them. */
  callsWithoutRecord: number
  /** Changes that a person has to settle. */
  unclear: number
  /** Answers by status and code. */
  answers: Record<string, number>
}

type Change = { asset_id: string; state: string; to_quantity: number; asks: string[] }

/** What says that nothing was done. */
const NOT_DONE = ['FAILED', 'REJECTED']
/** What an answer may be whose write was done: that it was, or that nobody can tell. */
const DONE_OR_UNKNOWN = [200, 504]

/** Compares our books with the vendor's. */
export async function judge(database: TestDatabase, stage: Stage, answers: Answered[]): Promise<Verdict> {
  const rows = await database.sql(CUSTOMER, 'SELECT id, seats_purchased AS total FROM assets')
  const totals = new Map(rows.map(({ id, total }) => [id, total]))
  const changes = await changesIn(database)
  const byAsk = new Map<string, Change[]>()
  for (const change of changes)
    for (const ask of change.asks) byAsk.set(ask, [...(byAsk.get(ask) ?? []), change])
  const answerTo = new Map(answers.map((answer) => [answer.ask, answer.status]))
  const writes = stage.seeds.flatMap((seed) => writesOf(stage, seed).map((written) => ({ ...written, seed })))
  const made = writes.filter(({ by }) => by === 'client')

  const recordOf = ({ ask, seed, to }: (typeof made)[number]) =>
    byAsk
      .get(ask ?? '')
      ?.find((change) => change.asset_id === stage.assetId(seed) && change.to_quantity === to)
  const isDenied = (written: (typeof made)[number]) => {
    const status = answerTo.get(written.ask ?? '') ?? 200
    return NOT_DONE.includes(recordOf(written)?.state ?? '') || !DONE_OR_UNKNOWN.includes(status)
  }
  const behind = new Set(made.map(recordOf))
  const hasSet = ({ asset_id, to_quantity }: Change) =>
    writes.some(
      ({ seed, by, to }) => by === 'vendor' && stage.assetId(seed) === asset_id && to === to_quantity,
    )
  const differs = (seed: Seed) =>
    totals.get(stage.assetId(seed)) !== stage.fakeOf(seed).subscription(seed.id)?.total
  const count = (fits: (change: Change) => boolean) => changes.filter(fits).length
  return {
    vendorWrites: made.length,
    writesWithoutRecord: made.filter((written) => !recordOf(written)).length,
    toldAsNotApplied: made.filter(isDenied).length,
    assetsThatDiffer: stage.seeds.filter(differs).length,
    overlappingWrites: stage.fakes.reduce((sum, { overlaps }) => sum + overlaps, 0),
    answersWithoutEvidence: answers.filter((answer) => answer.status === 200 && !isEvident(stage, answer))
      .length,
    recordsWithoutWrite: count((change) => change.state === 'APPLIED' && !behind.has(change)),
    drift: count((change) => change.state === 'DRIFT' && !hasSet(change)),
    open: count(({ state }) => isOpen(state)),
    callsWithoutRecord: stage.arrivals.filter((call) => !byAsk.has(askOf(call) ?? '')).length,
    unclear: count(({ state }) => state === 'UNCLEAR'),
    answers: countBy(answers, ({ status, code }) => `${status} ${code ?? ''}`.trim()),
  }
}

/** Our changes, each with the ids of the PATCHes that had it sent. */
async function changesIn(database: TestDatabase): Promise<Change[]> {
  const statement = `SELECT asset_id, state, to_quantity, request_id || coalesce((
      SELECT array_agg(request_id) FROM audit_events
      WHERE subject = license_changes.id AND action = 'license-change.resent'), '{}') AS asks
    FROM license_changes`
  return (await database.sql(CUSTOMER, statement)) as Change[]
}

/** What happened to a subscription in the vendor's books, in order; `ask` is the PATCH that did it. */
function writesOf(stage: Stage, seed: Seed): (Written & { ask: string | undefined })[] {
  const fake = stage.fakeOf(seed)
  const own = fake.writes.filter(({ subscriptionId }) => subscriptionId === seed.id)
  return own.map((written) => ({ ...written, ask: askOf(fake.callOf(written)) }))
}

/** A read may tell what was true `staleMs` ago, by the vendor's own rules. */
function isEvident(stage: Stage, { seed, quantity, since, until }: Answered): boolean {
  const writes = writesOf(stage, seed)
  const states = [{ total: seed.total, from: 0 }, ...writes.map(({ to, at }) => ({ total: to, from: at }))]
  return states.some(({ total, from }, index) => {
    const end = states[index + 1]?.from ?? Number.POSITIVE_INFINITY
    return total === quantity && from <= until && end >= since - stage.staleMs
  })
}

function countBy<T>(items: T[], name: (item: T) => string): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const item of items) counts[name(item)] = (counts[name(item)] ?? 0) + 1
  return counts
}
