import 'server-only'
import { setTimeout as sleep } from 'node:timers/promises'
import { errorCode } from '#lib/platform/api/problem.ts'
import { customerAfter } from '#lib/platform/caller/store.ts'
import type { Backfill } from '#lib/platform/db/backfill.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { BACKFILLS } from './list.ts'
import { finish, listBackfills, move, type Place } from './store.ts'

type Options = {
  /** Ends the run after the batch that is under way. */
  signal: AbortSignal
  known?: readonly Backfill[]
  /** Told after each batch how many rows of this backfill were looked at. */
  onBatch?(name: string, count: number): void
}

/**
 * Fills what is open, from where the progress in the database stands, until nothing is left. Safe to run in several
 * processes at once: a batch may be repeated, and only one of them goes on. What a later release has asked for is left
 * to it.
 * @returns how many rows were looked at
 * @throws AggregateError of what failed; each other backfill was tried
 */
export async function runBackfills({ signal, known = BACKFILLS, onBatch }: Options): Promise<number> {
  const errors: unknown[] = []
  let all = 0
  for (const { name, finishedAt, ...place } of await listBackfills()) {
    const backfill = known.find((one) => one.name === name)
    if (!backfill || finishedAt) continue
    let own = 0
    try {
      for await (const count of batches(backfill, place, signal)) {
        own += count
        onBatch?.(name, own)
      }
    } catch (error) {
      errors.push(error)
    }
    all += own
  }
  if (errors.length > 0) throw new AggregateError(errors, `${errors.length} backfills failed.`)
  return all
}

/** Goes from batch to batch, and gives how many rows each looked at. */
async function* batches({ name, batch }: Backfill, from: Place, signal: AbortSignal): AsyncGenerator<number> {
  const pace = paceOf(signal)
  let place = from
  while (!signal.aborted) {
    const customerId = await customerAfter(place.atCustomer, { orItself: place.afterRow !== null })
    if (!customerId) return finish(name, place)
    const after = customerId === place.atCustomer ? place.afterRow : null
    const began = performance.now()
    try {
      const { count, last } = await scope(
        { customerId },
        (tx) => batch(tx, customerId, { after, most: pace.rows() }),
        { evenIfClosed: true },
      )
      const next = { atCustomer: customerId, afterRow: last }
      // Another process fills, too, and is ahead: it goes on.
      if (!(await move(name, place, next, count))) return
      place = next
      yield count
      await pace.done(performance.now() - began)
    } catch (error) {
      await pace.failed(error)
    }
  }
}

/** Rows of a batch: as many as are done between these times, in milliseconds, so that nobody waits long for a row. */
const FIRST = 200
const MOST = 5000
const QUICK = 100
const SLOW = 300
/** After a batch the database has as long for others as that batch took, up to this, in milliseconds. */
const LONGEST_PAUSE = 1000

const TOO_LONG = '57014'
/** Somebody holds a row for longer than a batch waits: a large import does, for minutes. */
const BUSY = new Set(['55P03', '40P01', '40001'])
const BUSY_TRIES = 30
const FAILURE_PAUSE = 1000

/** How large the batches are, and how long the database is left alone after each. */
function paceOf(signal: AbortSignal) {
  const pause = (milliseconds: number) => sleep(milliseconds, undefined, { signal }).catch(() => {})
  let rows = FIRST
  let busy = 0
  return {
    rows: () => rows,
    /** After a batch that took so many milliseconds. */
    async done(took: number): Promise<void> {
      busy = 0
      if (took < QUICK) rows = Math.min(rows * 2, MOST)
      if (took > SLOW) rows = Math.ceil(rows / 2)
      await pause(Math.min(took, LONGEST_PAUSE))
    },
    /** After a batch that failed. @throws the same error, where another try would not help */
    async failed(error: unknown): Promise<void> {
      const code = errorCode(error) ?? ''
      if (code === TOO_LONG && rows > 1) rows = Math.ceil(rows / 4)
      else if (BUSY.has(code) && busy < BUSY_TRIES) busy += 1
      else throw error
      await pause(FAILURE_PAUSE)
    },
  }
}
