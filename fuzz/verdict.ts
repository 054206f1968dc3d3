import type { TestDatabase } from '#lib/db/test-database.ts'
import { CUSTOMER, type Seed, type Stage } from './stage.ts'
import type { Answered } from './writers.ts'

/** The four counts that have to be zero, and how much there was to go wrong. */
export type Verdict = {
  vendorWrites: number
  /** Changes in the vendor's books that no applied change of ours tells of. */
  writesWithoutRecord: number
  /** Assets whose total is not the vendor's. */
  assetsThatDiffer: number
  overlappingWrites: number
  /** Answers of 200 for a total that the vendor did not have at any moment of the request. */
  answersWithoutEvidence: number
  /** Changes that say APPLIED, and no write of the vendor's stands behind them. */
  recordsWithoutWrite: number
  /** Seats that seemed to be the vendor's own doing, though it did nothing by itself. */
  drift: number
  /** Changes that were not settled. */
  open: number
  /** Answers by status and code. */
  answers: Record<string, number>
}

/** Compares our books with the vendor's. */
export async function judge(database: TestDatabase, stage: Stage, answers: Answered[]): Promise<Verdict> {
  const rows = await database.sql(CUSTOMER, 'SELECT id, seats_purchased AS total FROM assets')
  const totals = new Map(rows.map(({ id, total }) => [id, total]))
  const changes = await database.sql(CUSTOMER, 'SELECT asset_id, state, to_quantity FROM license_changes')
  const made = stage.fake.writes.filter(({ by }) => by === 'client')
  const differs = (seed: Seed) => totals.get(stage.assetId(seed)) !== stage.fake.subscription(seed.id)?.total
  const applied = changes.filter(({ state }) => state === 'APPLIED')
  const withoutRecord = stage.seeds.reduce((sum, seed) => sum + unrecorded(seed), 0)
  return {
    vendorWrites: made.length,
    writesWithoutRecord: withoutRecord,
    assetsThatDiffer: stage.seeds.filter(differs).length,
    overlappingWrites: stage.fake.overlaps,
    recordsWithoutWrite: applied.length - (made.length - withoutRecord),
    drift: changes.filter(({ state }) => state === 'DRIFT').length,
    answersWithoutEvidence: answers.filter((answer) => answer.status === 200 && !isEvident(stage, answer))
      .length,
    open: changes.filter(({ state }) => ['CLAIMED', 'SENT', 'UNKNOWN'].includes(String(state))).length,
    answers: countBy(answers, ({ status, code }) => `${status} ${code ?? ''}`.trim()),
  }

  /** Each write takes the record of one applied change to the same total. */
  function unrecorded(seed: Seed): number {
    const records = changes
      .filter(({ asset_id, state }) => asset_id === stage.assetId(seed) && state === 'APPLIED')
      .map(({ to_quantity }) => to_quantity)
    const own = made.filter(({ subscriptionId }) => subscriptionId === seed.id)
    return own.filter(({ to }) => {
      const at = records.indexOf(to)
      if (at >= 0) records.splice(at, 1)
      return at < 0
    }).length
  }
}

/** A read may tell what was true `staleMs` ago, by the vendor's own rules. */
function isEvident(stage: Stage, { seed, quantity, since, until }: Answered): boolean {
  const writes = stage.fake.writes.filter(({ subscriptionId }) => subscriptionId === seed.id)
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
