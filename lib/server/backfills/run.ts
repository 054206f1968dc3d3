import 'server-only'
import { customerAfter } from '#lib/platform/caller/store.ts'
import type { Backfill } from '#lib/platform/db/backfill.ts'
import { scope } from '#lib/platform/db/scope.ts'
import { BACKFILLS } from './list.ts'
import { paceOf } from './pace.ts'
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
