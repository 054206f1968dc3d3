const PLENTY = '1000000'

/** Tests and measurements ask for more in a minute than customers do: what is about the limits sets its own. */
export const NO_LIMITS: Record<string, string> = {
  RATE_LIMIT_REQUESTS: PLENTY,
  RATE_LIMIT_CHANGES: PLENTY,
  RATE_LIMIT_EXPORTS: PLENTY,
  RATE_LIMIT_TOGETHER: '',
  RATE_LIMIT_STRANGERS: PLENTY,
  RATE_LIMIT_SIGN_INS: PLENTY,
  CONNECTIONS_PER_ADDRESS: PLENTY,
}
