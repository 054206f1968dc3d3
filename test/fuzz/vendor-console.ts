import { repeatUntilAborted } from './jobs.ts'
import type { Seed, Stage } from './stage.ts'

/** Milliseconds between two changes in the vendor's console. */
const EVERY_MS = 25
/** How far below a commitment's first total the changed totals go: no writer requests them, and users have fewer. */
const BELOW = 16
/** Time in which no total repeats: longer than any change is open in the fuzz. */
const SPACING_MS = 300_000

/**
 * Simulates a user of the vendor's own console, who changes totals outside of the product. Its totals are ones that no
 * writer requests, and they repeat only after `SPACING_MS`: a total that is restored while a response is lost looks as
 * if nothing had been done.
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
    /** Changes totals of all subscriptions, one after the other, until the signal aborts. */
    changeUntilAborted(signal: AbortSignal): Promise<void> {
      return repeatUntilAborted(signal, EVERY_MS, () => {
        const seed = stage.seeds[Math.floor(random() * stage.seeds.length)]
        if (seed) change(seed)
      })
    },
  }
}
