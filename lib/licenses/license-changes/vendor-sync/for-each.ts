import 'server-only'
import pLimit from 'p-limit'

/** How many are worked on at once, each with a connection of its own. */
const AT_ONCE = 4

/**
 * Does the work for each, some at once; one that fails keeps no other from it.
 * @throws AggregateError of those that failed
 */
export async function forEach<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  const limited = pLimit(AT_ONCE)
  const ends = await Promise.allSettled(items.map((item) => limited(work, item)))
  const errors = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []))
  if (errors.length > 0) throw new AggregateError(errors, `${errors.length} of ${items.length} failed.`)
}
