import { Problem } from '#lib/platform/api/problem.ts'

/** Should a refusal not say for how long, in seconds: a minute has passed by then. */
const LONGEST = 60

/**
 * Asks, and where a limit is used up waits for as long as the answer says, and asks again: a list is longer than what may
 * be asked for in a minute. Nothing was done by what was refused.
 * @throws what `ask` throws; after an abort also the refusal
 */
export async function patiently<T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'rate_limited' || signal.aborted) throw error
      await pause((error.more.retryAfter ?? LONGEST) * 1000, signal)
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
