import { z } from 'zod'
import { PROBLEMS, type Problem, type ProblemCode } from './problem.ts'
import { MEMBERS } from './problem-members.ts'
import type { Refusals } from './protocol/protocol.ts'

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

/** What a problem with this code says: its members are declared one by one, all others fall off. */
export function problemShape(code: ProblemCode): z.ZodObject {
  return SHAPES[code]
}

/**
 * The body of a problem, cut to what its code declares.
 * @param instance the request id
 * @throws ZodError where it lacks a member that its code promises
 */
export function problemText(problem: Problem, instance: string): string {
  return JSON.stringify(problemShape(problem.code).parse(problem.body(instance)))
}

/** How the API writes a refusal, where no protocol says otherwise. */
export const PROBLEMS_AS_JSON: Refusals = { type: 'application/problem+json', text: problemText }

/** What every problem says (RFC 9457), and what this one says besides. */
function shapeOf(code: ProblemCode): z.ZodObject {
  const { status, title } = PROBLEMS[code]
  return z
    .object({
      type: z.string().meta({ description: '`about:blank`: the code says more than a page could.' }),
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

/** `not_found` is the schema NotFoundProblem. */
function schemaName(code: ProblemCode): string {
  const words = code.split('_').map((word) => word.charAt(0).toUpperCase() + word.slice(1))
  return `${words.join('')}Problem`
}
