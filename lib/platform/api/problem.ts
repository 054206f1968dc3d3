import 'server-only'
import { z } from 'zod'
import { type More, ProblemError } from './problem-base.ts'

// The browser imports only types from this file, so that pages do not carry zod: its class is in problem-base.ts.

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

/** Members of problems beyond the common ones. A name has the same meaning in every problem. */
const Member = z.object({
  permission: z.string().meta({ description: 'The permission that is missing, by its name.' }),
  current: z.int().min(0).meta({ description: 'Purchased licenses now.' }),
  minimum: z.int().min(0).meta({ description: 'The lowest total that would be allowed now.' }),
  commitmentEndTime: z.int().meta({
    description: "Epoch time in milliseconds of the commitment's end. Absent where it is not known.",
  }),
  subscriptionStatus: z.string().meta({
    description:
      'What the subscription is instead of ACTIVE. Absent where the vendor refused, and did not say.',
  }),
  changedBy: z.string().meta({
    description: 'Who set or asked for that total: a name, `API key` and its name, or `The vendor`.',
  }),
  changedAt: z.int().meta({
    description:
      'Epoch time in milliseconds of when it was set or asked for. Absent where the vendor set it, and did not say.',
  }),
  etag: z.string().meta({ description: 'The present ETag of the asset: send it as If-Match to go on.' }),
  renewal: z
    .object({
      url: z.url().meta({
        description:
          'Where the next term is ordered: PUT a total, or one of `renewalTypes`, which GET names.',
      }),
      decideBy: z.int().meta({
        description:
          'The last whole day of UTC before the commitment ends: epoch time in milliseconds of its midnight.',
      }),
    })
    .meta({
      description:
        'How to have fewer licenses in the next term. Absent where the vendor takes no order for it.',
    }),
  changeId: z.string().meta({ description: 'The open change: `/billing/v1/license-changes/{change_id}`.' }),
  foreseen: z.literal(true).meta({
    description:
      'Nothing was sent: by its published rules, or by what it shows us, the vendor would refuse. Absent where it did.',
  }),
  to: z.int().min(0).meta({ description: 'The total that the open change asks for.' }),
  because: z.enum(['throttled', 'not_answering', 'no_access']).meta({
    description:
      '`throttled`: the vendor asks us to wait. `not_answering`: it cannot be reached, or fails. `no_access`: it does not let us in; asking again helps only when your reseller has seen to that.',
  }),
})

/** Additional members of each problem. Undeclared members are removed. */
export const MEMBERS = {
  permission_denied: Member.pick({ permission: true }).partial(),
  decrease_not_allowed: Member.pick({
    current: true,
    minimum: true,
    commitmentEndTime: true,
    renewal: true,
  }).partial({ commitmentEndTime: true, renewal: true }),
  subscription_not_active: Member.pick({ subscriptionStatus: true }).partial(),
  version_mismatch: Member.pick({ current: true, changedBy: true, changedAt: true, etag: true }).partial({
    changedAt: true,
  }),
  // No members if the change is the vendor's own, or a lock was not free in time.
  change_in_progress: Member.pick({ changeId: true, to: true, changedBy: true, changedAt: true }).partial(),
  vendor_rejected: Member.pick({ foreseen: true }).partial(),
  vendor_unavailable: Member.pick({ because: true }),
  outcome_unknown: Member.pick({ changeId: true }),
}

/** Members of a problem with this code, as passed to its constructor. */
export type MembersOf<Code> = Code extends keyof typeof MEMBERS ? z.output<(typeof MEMBERS)[Code]> : never
/** Members of a problem of any code. */
export type AnyMembers = Partial<z.output<typeof Member>>

const CODES = Object.keys(PROBLEMS) as ProblemCode[]

const InputErrorShape = z
  .object({
    pointer: z.string().optional().meta({
      description: 'Where in the body: a JSON Pointer (RFC 6901), empty for the whole of it.',
    }),
    parameter: z.string().optional().meta({ description: 'Name of the parameter or header.' }),
    detail: z.string().meta({ description: 'What is wrong there.' }),
  })
  .meta({ id: 'InputError', description: 'One place in the request that is wrong.' })

const SHAPES = Object.fromEntries(CODES.map((code) => [code, shapeOf(code)])) as Record<
  ProblemCode,
  z.ZodObject
>

/** Returns the schema of a problem with this code: its declared members only, others are removed. */
export function problemShape(code: ProblemCode): z.ZodObject {
  return SHAPES[code]
}

/** Returns the schema of the members common to all problems (RFC 9457) and of the code's own. */
function shapeOf(code: ProblemCode): z.ZodObject {
  const { status, title } = PROBLEMS[code]
  return z
    .object({
      type: z.url().meta({ description: 'The page that says what the code means, and what to do.' }),
      title: z.string().meta({ description: 'What the code means, for people. Texts may change.' }),
      status: z.literal(status).meta({ description: 'The HTTP status.' }),
      detail: z.string().meta({ description: 'What happened this time, for people.' }),
      instance: z.string().meta({
        description:
          'The request id, also in the header Request-Id. An answer that an Idempotency-Key repeats keeps that of the first.',
      }),
      code: z.literal(code).meta({ description: 'Stable; made for programs.' }),
      error: z.string().meta({ description: 'The same as `detail`, for clients of the older shape.' }),
      errors: z.array(InputErrorShape).optional().meta({
        description: 'Each place in the request that is wrong; the first 20.',
      }),
      ...(code in MEMBERS ? MEMBERS[code as keyof typeof MEMBERS].shape : {}),
    })
    .meta({ id: schemaName(code), description: `${title}.` })
}

/** Returns the name of a problem's schema: NotFoundProblem for `not_found`. */
function schemaName(code: ProblemCode): string {
  const nameParts = code.split('_').map((part) => part.charAt(0).toUpperCase() + part.slice(1))
  return `${nameParts.join('')}Problem`
}
