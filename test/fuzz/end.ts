import { expect } from 'vitest'
import { dueChanges } from '#lib/identity/access/due-work.ts'
import { readVendors, reconcileOpenChanges } from '#lib/licenses/license-changes/jobs.ts'
import { schedulePasses } from '#lib/licenses/vendor-passes/passes.ts'

// Runs the jobs on all open changes once faults have ended.

/** Runs the jobs until no change is open any more. */
export async function resolveAll(): Promise<void> {
  const left = async () => {
    // A locked row is in use by another process at this moment.
    await reconcileOpenChanges('fuzz-end').catch(() => {})
    return (await dueChanges()).length
  }
  await expect.poll(left, { interval: 100, timeout: 300_000 }).toBe(0)
}

/** Reads all of the vendor's subscriptions. One that failed many times in a row is skipped for a while. */
export async function readAll(): Promise<void> {
  const failure = async () => {
    await schedulePasses()
    return readVendors('fuzz-end').then(() => undefined, String)
  }
  await expect.poll(failure, { interval: 100 }).toBeUndefined()
}
