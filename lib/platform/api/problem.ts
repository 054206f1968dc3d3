import { type More, ProblemError } from './problem-error.ts'
import type { AnyMembers, MembersOf } from './problem-schemas.ts'

/** Statuses and titles of all problems by code. Codes are stable; titles may change. */
export const PROBLEMS = {
  invalid_request: { status: 400, title: 'The request is not valid' },
  filter_invalid: { status: 400, title: 'The filter is not valid' },
  page_token_invalid: { status: 400, title: 'The page token is not valid here' },
  unauthenticated: { status: 401, title: 'A valid API key or session is required' },
  permission_denied: { status: 403, title: 'A permission is missing' },
  fresh_sign_in_required: { status: 403, title: 'A fresh sign-in is required' },
  cross_origin: { status: 403, title: 'Sessions may write from the console only' },
  customer_closed: { status: 403, title: 'The customer is closed, and can only be read' },
  not_found: { status: 404, title: 'Not found' },
  method_not_allowed: { status: 405, title: 'The method is not supported here' },
  request_timeout: { status: 408, title: 'The request took too long' },
  decrease_not_allowed: { status: 409, title: 'A commitment plan can not be lowered' },
  subscription_not_active: { status: 409, title: 'The subscription is not active' },
  version_mismatch: { status: 412, title: 'Somebody changed it since you read it' },
  change_in_progress: { status: 409, title: 'Another change of this asset is in progress' },
  key_ended: { status: 409, title: 'The key has ended' },
  change_settled: { status: 409, title: 'The change is settled' },
  member_exists: { status: 409, title: 'There is a member with this address already' },
  last_admin: { status: 409, title: 'The last Admin stays' },
  member_disabled: { status: 409, title: 'The member is disabled' },
  provider_exists: { status: 409, title: 'There is an identity provider of this name already' },
  last_way_in: { status: 409, title: 'An Admin has to be sure to get in' },
  domain_not_proven: { status: 409, title: 'The domain is not proven yet' },
  domain_taken: { status: 409, title: 'The domain is another customer’s' },
  view_exists: { status: 409, title: 'There is a view of this name already' },
  webhooks_full: { status: 409, title: 'No more webhooks can be added' },
  views_full: { status: 409, title: 'No more views can be saved' },
  recipient_exists: { status: 409, title: 'The address gets these notices already' },
  recipients_full: { status: 409, title: 'No more addresses can be added' },
  invitation_accepted: { status: 409, title: 'The invitation was accepted' },
  member_changed: { status: 412, title: 'Somebody changed the member since you read it' },
  body_too_large: { status: 413, title: 'The body is too large' },
  unsupported_media_type: { status: 415, title: 'The body must be JSON' },
  quantity_not_supported: { status: 422, title: 'Assets of this type have no licenses' },
  renewal_not_supported: { status: 422, title: 'That can not be ordered for the next term' },
  not_comparable: { status: 422, title: 'The two can not be compared' },
  issuer_unfit: { status: 422, title: 'The issuer will not do' },
  idempotency_key_reused: { status: 422, title: 'The idempotency key was used for another request' },
  vendor_rejected: { status: 422, title: 'The vendor refused the quantity' },
  rate_limited: { status: 429, title: 'Too many requests' },
  headers_too_large: { status: 431, title: 'The headers are too large' },
  internal_error: { status: 500, title: 'Something went wrong on our side' },
  vendor_unavailable: { status: 503, title: 'The vendor can not be reached for the moment' },
  outcome_unknown: { status: 504, title: 'The vendor has not confirmed the change yet' },
  service_unavailable: { status: 503, title: 'The service is not available for the moment' },
} as const

export type ProblemCode = keyof typeof PROBLEMS

/** Returns the path of the page that describes a code. */
function problemPath(code: ProblemCode): string {
  return `/developers/errors#${code}`
}

class CodedProblem extends ProblemError {
  constructor(code: ProblemCode, detail: string = PROBLEMS[code].title, more: More<AnyMembers> = {}) {
    super(code, PROBLEMS[code].status, detail, more)
  }

  /**
   * Returns the problem+json body; problem-schemas.ts removes undeclared members before it is sent.
   * @param instance the request id
   */
  body(instance: string) {
    return {
      // Relative here; problem-schemas.ts adds the address of the console.
      type: problemPath(this.code),
      title: PROBLEMS[this.code].title,
      status: this.status,
      detail: this.message,
      instance,
      code: this.code,
      // Older error format, which public clients still read.
      error: this.message,
      ...(this.more.errors ? { errors: this.more.errors } : {}),
      ...this.more.members,
    }
  }
}

export type Problem = CodedProblem
/**
 * Only error class of the API: an expected refusal with a stable code (RFC 9457), as opposed to unknown errors. It
 * accepts only the members of its own code.
 */
export const Problem: {
  new <Code extends ProblemCode = ProblemCode>(
    code: Code,
    detail?: string,
    more?: More<MembersOf<Code>>,
  ): Problem
  readonly prototype: Problem
} = CodedProblem

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
    // SQLSTATE by which the database's `begin_write` refuses a change.
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
