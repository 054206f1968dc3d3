/**
 * Why a vendor can't be asked, where that is known: it asks us to wait, or it does not let us in, so that asking again
 * helps nobody until an operator has seen to our access. Absent: it did not answer.
 */
export type Why = 'throttled' | 'no_access'

/** What may be known of how long to wait. */
export type Wait = {
  /** Seconds, where the vendor says so. */
  retryAfter?: number | undefined
  why?: Why | undefined
}
