import { setTimeout as pause } from 'node:timers/promises'
import { reconcileOpenChanges } from '#lib/licenses/license-changes/jobs.ts'

/** Resolves open changes in a loop, as the job does each minute. */
export function resolveUntilAborted(signal: AbortSignal): Promise<void> {
  // A locked row is in use by another process at this moment: it is due again in the next round.
  return repeatUntilAborted(signal, 250, () => reconcileOpenChanges('fuzz-job').catch(() => {}))
}

/** Calls `run` until the signal aborts, `pauseMs` milliseconds after the end of the call before. */
export async function repeatUntilAborted(
  signal: AbortSignal,
  pauseMs: number,
  run: () => unknown,
): Promise<void> {
  while (!signal.aborted) {
    await run()
    // Fixed wait: between two runs of a job, or two changes by another party.
    await pause(pauseMs)
  }
}
