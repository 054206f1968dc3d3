import { isOpen } from '#lib/licenses/license-changes/rules.ts'
import type { TestDatabase } from '#lib/platform/db/test-database.ts'
import { type Change, changesIn, writesOf } from './ledger.ts'
import { requestIdOf } from './requests.ts'
import { CUSTOMER, type Seed, type Stage } from './stage.ts'
import type { Answered } from './writers.ts'

/** Counts that have to be zero, and the number of chances for a fault. */
export type Verdict = {
  /** Writes at the vendor that a call of the product made. */
  vendorWrites: number
  /** Writes without a license change. */
  writesWithoutRecord: number
  /** Writes whose change, or whose response to the requester, reports that nothing was done. */
  reportedAsNotApplied: number
  /** Assets whose total differs from the vendor's. */
  assetsThatDiffer: number
  overlappingWrites: number
  /** Responses of 200 for a total that the vendor did not have at any moment of the request. */
  answersWithoutEvidence: number
  /** Changes that are APPLIED, but without a write at the vendor. */
  recordsWithoutWrite: number
  /** Seats that were recorded as the vendor's own change, though the vendor changed nothing by itself. */
  drift: number
  /** Changes that were not resolved. */
  open: number
  /** Calls to the vendor that no change records: their outcome can't be looked up. */
  callsWithoutRecord: number
  /** Changes that an operator has to resolve. */
  unclear: number
  /** Responses by status and code. */
  answers: Record<string, number>
  /** For each wrong report, our change and the vendor's records of that time. */
  findings: string[]
}

/** States that report that nothing was done. */
const NOT_DONE = ['FAILED', 'REJECTED']
/** Statuses of a response to a write that was done: done, or unknown. */
const DONE_OR_UNKNOWN = [200, 504]
/** How much of the vendor's records a finding shows before and after a change, in milliseconds. */
const AROUND_MS = 5000

/** Compares the product's records with the vendor's. */
export async function judge(database: TestDatabase, stage: Stage, answers: Answered[]): Promise<Verdict> {
  const rows = await database.sql(CUSTOMER, 'SELECT id, seats_purchased AS total FROM assets')
  const totals = new Map(rows.map(({ id, total }) => [id, total]))
  const changes = await changesIn(database)
  const changesByRequest = new Map<string, Change[]>()
  for (const change of changes)
    for (const requestId of change.asks)
      changesByRequest.set(requestId, [...(changesByRequest.get(requestId) ?? []), change])
  const answerTo = new Map(answers.map((answer) => [answer.requestId, answer.status]))
  const writes = stage.seeds.flatMap((seed) => writesOf(stage, seed).map((written) => ({ ...written, seed })))
  const made = writes.filter(({ by }) => by === 'client')

  // A request also records a change by the vendor that its read shows, which may have the same total.
  const recordOf = ({ requestId, seed, to }: (typeof made)[number]) =>
    changesByRequest
      .get(requestId ?? '')
      ?.find(
        (change) =>
          change.state !== 'DRIFT' && change.asset_id === stage.assetId(seed) && change.to_quantity === to,
      )
  const isDenied = (written: (typeof made)[number]) => {
    const status = answerTo.get(written.requestId ?? '') ?? 200
    return NOT_DONE.includes(recordOf(written)?.state ?? '') || !DONE_OR_UNKNOWN.includes(status)
  }
  const behind = new Set(made.map(recordOf))
  // A write of ours with an unknown outcome may look like any other client's.
  const isForeign = (written: (typeof writes)[number]) =>
    written.by === 'vendor' || recordOf(written)?.state === 'UNCLEAR'
  const hasSet = ({ asset_id, to_quantity }: Change) =>
    writes.some(
      (written) =>
        stage.assetId(written.seed) === asset_id && written.to === to_quantity && isForeign(written),
    )
  const denied = made.filter(isDenied)
  const unfounded = changes.filter((change) => change.state === 'DRIFT' && !hasSet(change))
  const unwritten = changes.filter((change) => change.state === 'APPLIED' && !behind.has(change))
  const finding = (change: Change | undefined, status?: number) => {
    const [since, until] = [(change?.began ?? 0) - AROUND_MS, (change?.settled ?? 0) + AROUND_MS]
    const nearbyWrites = writes.filter(({ seed, at }) => {
      return stage.assetId(seed) === change?.asset_id && at > since && at < until
    })
    const lines = nearbyWrites.map(
      ({ from, to, at, by, requestId }) => `${at}: ${from} to ${to} by ${requestId ?? by}`,
    )
    return [JSON.stringify(change), `answered ${status}`, ...lines].join('\n')
  }
  const differs = (seed: Seed) =>
    totals.get(stage.assetId(seed)) !== stage.fakeOf(seed).subscription(seed.id)?.total
  const count = (fits: (change: Change) => boolean) => changes.filter(fits).length
  return {
    vendorWrites: made.length,
    writesWithoutRecord: made.filter((written) => !recordOf(written)).length,
    reportedAsNotApplied: denied.length,
    assetsThatDiffer: stage.seeds.filter(differs).length,
    overlappingWrites: stage.fakes.reduce((sum, { overlaps }) => sum + overlaps, 0),
    answersWithoutEvidence: answers.filter((answer) => answer.status === 200 && !isEvident(stage, answer))
      .length,
    recordsWithoutWrite: unwritten.length,
    drift: unfounded.length,
    open: count(({ state }) => isOpen(state)),
    callsWithoutRecord: stage.arrivals.filter((call) => !changesByRequest.has(requestIdOf(call) ?? ''))
      .length,
    unclear: count(({ state }) => state === 'UNCLEAR'),
    answers: countBy(answers, ({ status, code }) => `${status} ${code ?? ''}`.trim()),
    findings: [
      ...denied.map((written) => finding(recordOf(written), answerTo.get(written.requestId ?? ''))),
      ...[...unfounded, ...unwritten].map((change) => finding(change)),
    ],
  }
}

/** Returns whether the outcome is evident: by the vendor's own rules, a read may return the state of `staleMs` ago. */
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
