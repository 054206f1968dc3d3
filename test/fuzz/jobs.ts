import { setTimeout as pause } from 'node:timers/promises'
import { reconcileOpenChanges } from '#lib/licenses/license-changes/jobs.ts'

/** Looks for what is open, again and again, as the job does it each minute. */
export async function resolveUntilAborted(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    // A row that is locked is somebody's at this moment: it is due again next time.
    await reconcileOpenChanges('fuzz-job').catch(() => {})
    // Fixed wait: between two runs of the job.
    await pause(250)
  }
}
