import type { Taken } from './buckets.ts'
import { type Lease, WINDOW_SECONDS } from './budget.ts'

/** A limit and how it stands. */
export type Standing = { policy: string; lease: Lease }

/**
 * The header fields of draft-ietf-httpapi-ratelimit-headers-10: what the limits are (`q` requests in `w` seconds), and
 * how they stand (`r` left as far as this process knows, for `t` seconds).
 */
export function limitFields(standings: readonly Standing[], now = performance.now()): Record<string, string> {
  const policies = standings.map(({ policy, lease }) => `"${policy}";q=${lease.quota};w=${WINDOW_SECONDS}`)
  const states = standings.map(
    ({ policy, lease }) => `"${policy}";r=${leftOf(lease)};t=${secondsLeft(lease, now)}`,
  )
  return { 'RateLimit-Policy': policies.join(', '), RateLimit: states.join(', ') }
}

/** The same for the bucket of an address: `r` can be taken at once, and in `t` seconds it is full again. */
export function bucketFields(
  policy: string,
  perMinute: number,
  { left, full }: Taken,
): Record<string, string> {
  return {
    'RateLimit-Policy': `"${policy}";q=${perMinute};w=${WINDOW_SECONDS}`,
    RateLimit: `"${policy}";r=${left};t=${Math.ceil(full / 1000)}`,
  }
}

/** Until the window is over, in whole seconds: 1 to 60. */
export function secondsLeft({ endsAt }: Lease, now = performance.now()): number {
  return Math.min(WINDOW_SECONDS, Math.max(1, Math.ceil((endsAt - now) / 1000)))
}

function leftOf({ quota, taken, unused }: Lease): number {
  return Math.max(0, quota - taken) + unused
}
