import 'server-only'
import { setTimeout as sleep } from 'node:timers/promises'
import { errorCode } from '#lib/platform/api/error-mapper.ts'
import { customerAfter } from '#lib/platform/caller/store.ts'
import type { Backfill } from '#lib/platform/db/backfill.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { BACKFILLS } from './list.ts'
import { type BackfillPosition, finish, listBackfills, move } from './store.ts'

type Options = {
  /** Ends the run after the current batch. */
  signal: AbortSignal
  backfills?: readonly Backfill[]
  /** Called after each batch with the number of rows processed by this backfill. */
  onBatch?(name: string, count: number): void
}

/**
 * Runs unfinished backfills from their stored position to the end. Safe to run in several processes concurrently: a
 * batch may be repeated, and only one of them continues. Backfills of a later release are left to that release.
 * @returns how many rows were processed
 * @throws AggregateError of the failures; all other backfills were tried
 */
export async function runBackfills({ signal, backfills = BACKFILLS, onBatch }: Options): Promise<number> {
  const errors: unknown[] = []
  let all = 0
  for (const { name, finishedAt, ...place } of await listBackfills()) {
    const backfill = backfills.find((one) => one.name === name)
    if (!backfill || finishedAt) continue
    let rowCount = 0
    try {
      for await (const count of batches(backfill, place, signal)) {
        rowCount += count
        onBatch?.(name, rowCount)
      }
    } catch (error) {
      errors.push(error)
    }
    all += rowCount
  }
  if (errors.length > 0) throw new AggregateError(errors, `${errors.length} backfills failed.`)
  return all
}

/** Runs batch after batch, and yields the number of rows of each. */
async function* batches(
  { name, batch }: Backfill,
  from: BackfillPosition,
  signal: AbortSignal,
): AsyncGenerator<number> {
  const batchSize = adaptiveBatchSize(signal)
  let position = from
  while (!signal.aborted) {
    const customerId = await customerAfter(position.atCustomer, { orItself: position.afterRow !== null })
    if (!customerId) return finish(name, position)
    const after = customerId === position.atCustomer ? position.afterRow : null
    const began = performance.now()
    try {
      const { count, last } = await scope(
        { customerId },
        (tx) => batch(tx, customerId, { after, most: batchSize.rows() }),
        { evenIfClosed: true },
      )
      const next = { atCustomer: customerId, afterRow: last }
      // Another process runs this backfill as well and is ahead; it continues.
      if (!(await move(name, position, next, count))) return
      position = next
      yield count
      await batchSize.done(performance.now() - began)
    } catch (error) {
      await batchSize.failed(error)
    }
  }
}

/**
 * Batch size in rows: adapted so that a batch takes between QUICK and SLOW milliseconds, and other transactions do not
 * wait long for a row.
 */
const INITIAL_BATCH_SIZE = 200
const MAX_BATCH_SIZE = 5000
const QUICK = 100
const SLOW = 300
/**
 * Longest pause after a batch, in milliseconds; each pause is as long as its batch, so that other work gets half of the
 * database's time.
 */
const MAX_PAUSE_MS = 1000

const TOO_LONG = '57014'
/** SQLSTATEs of a row that is locked for longer than a batch waits: a large import takes minutes. */
const BUSY = new Set(['55P03', '40P01', '40001'])
const BUSY_TRIES = 30
const FAILURE_PAUSE = 1000

/** Returns a controller of the batch size and of the pause after each batch. */
function adaptiveBatchSize(signal: AbortSignal) {
  const pause = (milliseconds: number) => sleep(milliseconds, undefined, { signal }).catch(() => {})
  let rows = INITIAL_BATCH_SIZE
  let busy = 0
  return {
    rows: () => rows,
    /** Adapts the batch size after a batch of this duration, in milliseconds. */
    async done(took: number): Promise<void> {
      busy = 0
      if (took < QUICK) rows = Math.min(rows * 2, MAX_BATCH_SIZE)
      if (took > SLOW) rows = Math.ceil(rows / 2)
      await pause(Math.min(took, MAX_PAUSE_MS))
    },
    /** Adapts the batch size after a failed batch. @throws the same error, where another try would not help */
    async failed(error: unknown): Promise<void> {
      const code = errorCode(error) ?? ''
      if (code === TOO_LONG && rows > 1) rows = Math.ceil(rows / 4)
      else if (BUSY.has(code) && busy < BUSY_TRIES) busy += 1
      else throw error
      await pause(FAILURE_PAUSE)
    },
  }
}
