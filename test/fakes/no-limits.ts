const PLENTY = '1000000'

/**
 * Settings without rate limits: tests and measurements send more requests in a minute than customers do. Tests of the
 * limits set their own.
 */
export const NO_LIMITS: Record<string, string> = {
  RATE_LIMIT_REQUESTS: PLENTY,
  RATE_LIMIT_CHANGES: PLENTY,
  RATE_LIMIT_EXPORTS: PLENTY,
  RATE_LIMIT_TOGETHER: '',
  RATE_LIMIT_STRANGERS: PLENTY,
  RATE_LIMIT_SIGN_INS: PLENTY,
  CONNECTIONS_PER_ADDRESS: PLENTY,
}
