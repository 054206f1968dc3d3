import { inTurns } from './turns.ts'

/** How often, and how many times, a change is looked up that its vendor has not confirmed; in milliseconds. */
const LOOK_EVERY = 5000
const MOST_LOOKS = 36

/**
 * Asks for each change, and again for those whose fate was not known, until it is or three minutes have passed.
 * @param ask whether the fate is known; it asks with the same key each time, and does not throw
 * @param pause resolves after so many milliseconds, or at an abort
 */
export async function carryOut<T extends { type: string }>(
  items: readonly T[],
  ask: (item: T) => Promise<boolean>,
  pause: (ms: number) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  let open = items
  for (let look = 0; look <= MOST_LOOKS && open.length > 0 && !signal.aborted; look++) {
    if (look > 0) await pause(LOOK_EVERY)
    const unknown = new Set<T>()
    const work = async (item: T) => {
      if (!(await ask(item))) unknown.add(item)
    }
    await inTurns(open, work, signal)
    open = open.filter((item) => unknown.has(item))
  }
}
