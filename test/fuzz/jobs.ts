import { setTimeout as pause } from 'node:timers/promises'
import { reconcileOpenChanges } from '#lib/licenses/license-changes/jobs.ts'

/** Resolves open changes in a loop, as the job does each minute. */
export async function resolveUntilAborted(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    // A locked row is in use by another process at this moment: it is due again in the next round.
    await reconcileOpenChanges('fuzz-job').catch(() => {})
    // Fixed wait: between two runs of the job.
    await pause(250)
  }
}
