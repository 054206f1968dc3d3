import 'server-only'
import pLimit from 'p-limit'

/** Number of parallel workers, each with its own connection. */
const AT_ONCE = 4

/**
 * Runs the work for each item, several in parallel; a failure does not stop the others.
 * @throws AggregateError of the failures
 */
export async function forEach<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  const limited = pLimit(AT_ONCE)
  const ends = await Promise.allSettled(items.map((item) => limited(work, item)))
  const errors = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []))
  if (errors.length > 0) throw new AggregateError(errors, `${errors.length} of ${items.length} failed.`)
}
