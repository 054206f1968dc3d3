import { type More, ProblemError } from './problem-base.ts'
import type { AnyMembers, MembersOf } from './problem-members.ts'

/** Value of the header Content-Type of a problem (RFC 9457). */
export const PROBLEM_TYPE = 'application/problem+json'

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
  decrease_not_allowed: { status: 409, title: 'A commitment plan cannot be lowered' },
  subscription_not_active: { status: 409, title: 'The subscription is not active' },
  version_mismatch: { status: 412, title: 'Someone changed it since you read it' },
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
  member_changed: { status: 412, title: 'Someone changed the member since you read it' },
  body_too_large: { status: 413, title: 'The body is too large' },
  unsupported_media_type: { status: 415, title: 'The body must be JSON' },
  quantity_not_supported: { status: 422, title: 'Assets of this type have no licenses' },
  renewal_not_supported: { status: 422, title: 'That cannot be ordered for the next term' },
  not_comparable: { status: 422, title: 'The two cannot be compared' },
  issuer_unfit: { status: 422, title: 'The issuer will not do' },
  idempotency_key_reused: { status: 422, title: 'The idempotency key was used for another request' },
  vendor_rejected: { status: 422, title: 'The vendor refused the quantity' },
  rate_limited: { status: 429, title: 'Too many requests' },
  headers_too_large: { status: 431, title: 'The headers are too large' },
  internal_error: { status: 500, title: 'Something went wrong on our side' },
  vendor_unavailable: { status: 503, title: 'The vendor cannot be reached for the moment' },
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
   * Returns the problem+json body; protocol.ts removes undeclared members before it is sent.
   * @param instance the request id
   */
  body(instance: string) {
    return {
      // Relative here; protocol.ts adds the address of the console.
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
