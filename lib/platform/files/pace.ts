/** So many bytes, each time, may keep us waiting for so many milliseconds. */
export type Pace = { bytes: number; within: number }

/**
 * The slowest that a client may take an answer: half a MiB in a minute and a half, about 6 kB a second. The system's own
 * buffers let go of up to 1.5 MB at once, which somebody who takes 20 kB a second needs 75 s for.
 */
export const SLOWEST: Pace = { bytes: 512 * 1024, within: 90_000 }

/** How much patience is left with a client. Only the time counts in which we wait for it, and not what we need ourselves. */
export function patience({ bytes, within }: Pace) {
  let taken = 0
  let waited = 0
  return {
    /** @param ms for how long we waited until `count` bytes more were taken */
    took(count: number, ms: number): void {
      taken += count
      waited += ms
      if (taken < bytes) return
      taken = 0
      waited = 0
    },
    /** Milliseconds for which more may still be waited; it is too slow where there is none left. */
    left: () => Math.max(0, within - waited),
  }
}
