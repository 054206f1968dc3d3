import pLimit from 'p-limit'
import { ProblemError } from '#lib/platform/api/problem-base.ts'

/** Interval and number of look-ups of a change that its vendor has not confirmed; the interval in milliseconds. */
const POLL_INTERVAL_MS = 5000
const MAX_POLLS = 36

/**
 * Requests each change, and repeats those with an unknown outcome until it is known or three minutes have passed.
 * @param attempt returns whether the outcome is known; uses the same key each time, and does not throw
 * @param pause resolves after a number of milliseconds, or at an abort
 */
export async function carryOut<T extends { type: string }>(
  items: readonly T[],
  attempt: (item: T) => Promise<boolean>,
  pause: (ms: number) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  let open = items
  for (let poll = 0; poll <= MAX_POLLS && open.length > 0 && !signal.aborted; poll++) {
    if (poll > 0) await pause(POLL_INTERVAL_MS)
    const unknown = new Set<T>()
    const work = async (item: T) => {
      if (!(await attempt(item))) unknown.add(item)
    }
    await mapWithConcurrency(open, work, signal)
    open = open.filter((item) => unknown.has(item))
  }
}

/** Number of parallel requests: in total, and for assets of one type, which mostly share one vendor. */
const AT_ONCE = 4
const AT_ONCE_OF_TYPE = 2

/** Works on all items in their order, a few in parallel; after an abort begins no more and waits for running ones. */
export async function mapWithConcurrency<T extends { type: string }>(
  items: readonly T[],
  work: (item: T) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const all = pLimit(AT_ONCE)
  const ofType = new Map(items.map(({ type }) => [type, pLimit(AT_ONCE_OF_TYPE)]))
  const run = async (item: T) => {
    if (!signal.aborted) await work(item)
  }
  // The type's semaphore comes first, so that a waiting item delays no item of another type.
  const runs = items.map((item) => ofType.get(item.type)?.(() => all(run, item)))
  await Promise.all(runs)
}

/** Seconds to wait where a refusal names no time: a minute window has passed by then. */
const DEFAULT_RETRY_SECONDS = 60

/**
 * Sends a request, and repeats it after the wait named in a rate-limit answer: a list is longer than a minute's quota.
 * A rate-limited request has changed nothing.
 * @throws the errors of `request`; after an abort also the refusal
 */
export async function patiently<T>(request: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await request()
    } catch (error) {
      if (!(error instanceof ProblemError) || error.code !== 'rate_limited' || signal.aborted) throw error
      await pause((error.more.retryAfter ?? DEFAULT_RETRY_SECONDS) * 1000, signal)
      if (signal.aborted) throw error
    }
  }
}

/** Resolves after `ms` milliseconds, or at an abort. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    const end = () => {
      clearTimeout(timer)
      resolve()
    }
    signal.addEventListener('abort', end, { once: true })
  })
}
