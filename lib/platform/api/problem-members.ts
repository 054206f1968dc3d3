import 'server-only'
import { z } from 'zod'
import { PROBLEMS, type ProblemCode } from './problem.ts'

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
