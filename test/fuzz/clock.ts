// Durations in the fuzz, and in tests that use its stage.

/** In milliseconds: about twenty times as fast as in production, so that thousands of calls take a minute. */
export const TIMES = {
  VENDOR_READ_MS: '200',
  VENDOR_WRITE_MS: '200',
  VENDOR_CONFIRM_MS: '150',
  VENDOR_CHECK_MS: '200',
  VENDOR_STALE_MS: '250',
  VENDOR_PAUSE_MS: '150',
  CHANGE_LEASE_MS: '1500',
}
export const CONFIRM_SECONDS = '2'
/** More calls than a test makes: the rate limit is not tested here. */
export const CALLS_PER_MINUTE = '1000000'
type Limit = 'SETTLE_SECONDS' | 'CALLS_PER_MINUTE'
export type Times = Partial<Record<keyof typeof TIMES | `${string}_${Limit}`, string>>
