import 'server-only'
import { hash, randomBytes } from 'node:crypto'

/** Counters of each row of the sketch: two rows of 65,536 doubles take 1 MB, for any number of names. */
const COUNTERS = 1 << 16

export type Buckets = {
  /** Tokens that are refilled per minute. */
  perMinute: number
  /**
   * Takes tokens from the bucket of this name, if it has as many.
   * @param weight number of tokens, by default one; a full bucket admits any weight
   */
  consume(name: string, weight?: number): BucketState
}

export type BucketState = {
  /** Milliseconds until the bucket has as many tokens; 0 if they were taken. */
  wait: number
  /** Tokens that are left in the bucket. */
  left: number
  /** Milliseconds until the bucket is full, without further requests. */
  full: number
}

/**
 * Returns a count-min sketch of token buckets: rate limits for any number of names in constant memory.
 *
 * Each name hashes to one counter in each of two rows. Like every count-min sketch, it takes the smaller of the two
 * counters, which is at least the name's own consumption, and updates conservatively (raises the smaller counter only as
 * far as needed). Two names share a bucket only if they collide in both rows. The hash is keyed with a random secret, so
 * that an attacker can't choose names that collide with a victim's. A flood of millions of names empties no counter for
 * others: each counter gets one request in 65,536, and is refilled faster than that.
 *
 * A counter is not a number of tokens but the time at which its bucket is full again, without further requests (generic
 * cell rate algorithm, GCRA): refilling needs no timer.
 * @param perMinute tokens that are refilled per minute
 * @param burst tokens of a full bucket
 * @param now monotonic clock, in milliseconds
 */
export function buckets(perMinute: number, burst: number, now = () => performance.now()): Buckets {
  const firstRow = new Float64Array(COUNTERS)
  const secondRow = new Float64Array(COUNTERS)
  const msPerToken = 60_000 / perMinute
  const msPerBurst = msPerToken * burst
  // Tolerance for the rounding errors of sums of fractions.
  const toleranceMs = msPerToken * 1e-6
  const secret = randomBytes(16).toString('base64url')
  const stateAt = (full: number, wait: number): BucketState => ({
    wait,
    left: Math.max(0, Math.floor((msPerBurst + toleranceMs - full) / msPerToken)),
    full,
  })
  return {
    perMinute,
    consume(name, weight = 1) {
      const digest = hash('sha256', secret + name, 'buffer')
      const first = digest.readUInt32LE(0) % COUNTERS
      const second = digest.readUInt32LE(4) % COUNTERS
      const time = now()
      const fullAt = Math.max(time, Math.min(firstRow[first] as number, secondRow[second] as number))
      const nextFullAt = fullAt + msPerToken * Math.min(weight, burst)
      const missingMs = nextFullAt - time - msPerBurst
      if (missingMs > toleranceMs) return stateAt(fullAt - time, missingMs)
      firstRow[first] = Math.max(nextFullAt, firstRow[first] as number)
      secondRow[second] = Math.max(nextFullAt, secondRow[second] as number)
      return stateAt(nextFullAt - time, 0)
    },
  }
}
