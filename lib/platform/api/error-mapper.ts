import { Problem } from './problem.ts'

// SQLSTATE classes and codes of a server that is down, shutting down, full, too slow, or a standby by now (25006).
const UNAVAILABLE = /^(08|53|57P|57014|55P03|25P03|25006|40001|40P01|58)/
const NETWORK = /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOENT|ENOTFOUND|EAI_AGAIN)$/
// Messages of pg's errors without a code, after the server was killed or the pool is exhausted; the last one is
// Citus's, as XX000.
const CODELESS =
  /connection (terminated|error|ended)|client was closed|timeout exceeded when trying to connect|no turn in time|connection timeout|query read timeout|postmaster was shut down/i

/** Maps any thrown value to a problem: an unknown error becomes a 500 with only the request id. */
export function toProblem(error: unknown): Problem {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    if (at instanceof Problem) return at
    // SQLSTATE of the database's `begin_write`, which refuses a change.
    if ('code' in at && at.code === 'CC001') return new Problem('customer_closed')
    if (isUnavailable(at)) {
      const detail = 'The service is not available for the moment. Please try again.'
      return new Problem('service_unavailable', detail, { headers: { 'Retry-After': '2' } })
    }
  }
  return new Problem(
    'internal_error',
    'Something went wrong on our side. The request id helps us to find out what.',
  )
}

/** Returns the SQLSTATE or system code of an error or of its cause. */
export function errorCode(error: unknown): string | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    if ('code' in at && typeof at.code === 'string') return at.code
  }
  return undefined
}

/**
 * Returns a handler for `catch` that turns a statement timeout (SQLSTATE 57014) of a read into a problem, and rethrows
 * every other error.
 * @param detail why the read takes so long, and how to make it shorter
 * @throws Problem `service_unavailable`
 */
export function rethrowTimeout(detail: string): (error: unknown) => never {
  return (error) => {
    if (errorCode(error) !== '57014') throw error
    throw new Problem('service_unavailable', detail, { headers: { 'Retry-After': '2' } })
  }
}

function isUnavailable(error: Error & { code?: unknown }): boolean {
  const { code } = error
  if (typeof code !== 'string' || code === 'XX000') return CODELESS.test(error.message)
  return NETWORK.test(code) || UNAVAILABLE.test(code)
}
