import pLimit from 'p-limit'
import { Problem } from '#lib/platform/api/problem.ts'

/** How often, and how many times, a change is looked up that its vendor has not confirmed; in milliseconds. */
const POLL_INTERVAL_MS = 5000
const MAX_POLLS = 36

/**
 * Asks for each change, and again for those whose fate was not known, until it is or three minutes have passed.
 * @param attempt whether the fate is known; it asks with the same key each time, and does not throw
 * @param pause resolves after so many milliseconds, or at an abort
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

/** How much is asked at once: in all, and of assets of one type, which mostly have one vendor. */
const AT_ONCE = 4
const AT_ONCE_OF_TYPE = 2

/** Works on all items, a few at once, in their order; after an abort it begins no more and waits for those begun. */
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
  // A type's turn comes first: who waits for it keeps nobody of another type waiting.
  const runs = items.map((item) => ofType.get(item.type)?.(() => all(run, item)))
  await Promise.all(runs)
}

/** Should a refusal not say for how long, in seconds: a minute has passed by then. */
const DEFAULT_RETRY_SECONDS = 60

/**
 * Asks, and where a limit is used up waits for as long as the answer says, and asks again: a list is longer than what may
 * be asked for in a minute. Nothing was done by what was refused.
 * @throws what `ask` throws; after an abort also the refusal
 */
export async function patiently<T>(request: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await request()
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'rate_limited' || signal.aborted) throw error
      await pause((error.more.retryAfter ?? DEFAULT_RETRY_SECONDS) * 1000, signal)
      if (signal.aborted) throw error
    }
  }
}

/** Resolves after so many milliseconds, or at an abort. */
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
