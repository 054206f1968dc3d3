import 'server-only'
import { hash, randomBytes } from 'node:crypto'

/** How many are kept, in each of two rows: 1 MB in all, whoever comes. */
const SLOTS = 1 << 16

export type Buckets = {
  /** Tokens that come back in a minute. */
  perMinute: number
  /** Takes a token of the bucket with this name. */
  consume(name: string): BucketState
}

export type BucketState = {
  /** In milliseconds: 0 where there was a token, else after how long there will be one. */
  wait: number
  /** Tokens that can still be taken at once. */
  left: number
  /** After how many milliseconds the bucket is full again, were nothing taken any more. */
  full: number
}

/**
 * Token buckets for any number of names in a fixed amount of memory. A name has a slot in each of two rows, found by a
 * digest that nobody outside can reckon; what it has taken is the less of what its two slots say. So two names share a
 * bucket only where both slots are shared, and whoever comes under millions of names empties no slot for others: each
 * gets one request of thousands, and what comes back in the meantime is more.
 * @param perMinute how many tokens come back in a minute
 * @param atOnce how many a full bucket has
 */
export function buckets(perMinute: number, atOnce: number, now = () => performance.now()): Buckets {
  // When a slot is full again, were nothing taken any more (the generic cell rate algorithm).
  const rows = [new Float64Array(SLOTS), new Float64Array(SLOTS)] as const
  const interval = 60_000 / perMinute
  const most = interval * atOnce
  // What sums of fractions lack is no token.
  const slack = interval * 1e-6
  const secret = randomBytes(16).toString('base64url')
  const stateAt = (full: number, wait: number): BucketState => ({
    wait,
    left: Math.max(0, Math.floor((most + slack - full) / interval)),
    full,
  })
  return {
    perMinute,
    consume(name) {
      const digest = hash('sha256', secret + name, 'buffer')
      const [one, other] = [digest.readUInt32LE(0) % SLOTS, digest.readUInt32LE(4) % SLOTS]
      const at = now()
      const before = Math.max(at, Math.min(rows[0][one] as number, rows[1][other] as number))
      const after = before + interval
      if (after - at > most + slack) return stateAt(before - at, after - at - most)
      rows[0][one] = Math.max(after, rows[0][one] as number)
      rows[1][other] = Math.max(after, rows[1][other] as number)
      return stateAt(after - at, 0)
    },
  }
}
