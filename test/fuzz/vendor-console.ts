import { setTimeout as pause } from 'node:timers/promises'
import type { Seed, Stage } from './stage.ts'

/** Milliseconds between two changes there. */
const EVERY_MS = 25
/** So many totals below the one in which a commitment began: no writer asks for them, and users have fewer. */
const BELOW = 16
/** For so long no total comes again: longer than any change is open here. */
const SPACING_MS = 60_000

/**
 * Somebody in the vendor's own console, who changes totals outside of us. No total is one that a writer asks for, and
 * none comes again soon: a total that is put back while an answer is lost looks to everybody as if nothing had been done.
 */
export function vendorConsole(stage: Stage, random: () => number) {
  const changes = new Map<Seed, number[]>()
  function change(seed: Seed): void {
    const times = changes.get(seed) ?? []
    const count = times.length
    if (seed.isCommitmentPlan && Date.now() - (times[count - BELOW] ?? 0) < SPACING_MS) return
    changes.set(seed, [...times, Date.now()])
    const total = seed.isCommitmentPlan ? seed.total - 1 - (count % BELOW) : 100 + count
    stage.fakeOf(seed).setByVendor(seed.id, total)
  }
  return {
    change,
    /** Changes one after the other, of all subscriptions, until the signal says so. */
    async changeUntilAborted(signal: AbortSignal): Promise<void> {
      while (!signal.aborted) {
        const seed = stage.seeds[Math.floor(random() * stage.seeds.length)]
        if (seed) change(seed)
        // Fixed wait: between two changes.
        await pause(EVERY_MS)
      }
    },
  }
}
